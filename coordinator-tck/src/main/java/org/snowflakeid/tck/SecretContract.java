// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.tck;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.snowflakeid.CoordinatorException;

/** {@link SecretFileContract}, and what a coordinator promises of a password or token that is a setting. */
public abstract class SecretContract extends SecretFileContract {
    private final String secretKey;
    private final String fileKey;

    /** @param secretKey whose value it is, such as {@code snowflake.etcd.password} */
    protected SecretContract(String coordinator, String secretKey, String fileKey, String secret, String wrongSecret) {
        super(coordinator, fileKey, secret, wrongSecret);
        this.secretKey = secretKey;
        this.fileKey = fileKey;
    }

    @Test
    public final void worksWithTheSecret() {
        try (Node node = node(settings(), secretKey, secret)) {
            node.claimExtendAndRelease();
        }
    }

    @Test
    public final void wrongSecretIsPermanentAndNotShown() {
        CoordinatorException refusal =
                node(refused(), secretKey, wrongSecret).refused(true, saidOfARefusal(), toCheck(secretKey));

        assertHidden(refusal);
        assertThat(refusal.loginRefused()).isTrue();
    }

    @Test
    public final void secretBesideItsFileIsRefusedAndNotShown() throws IOException {
        Path file = file(secret);

        List<String> problems = problems(Map.of(secretKey, wrongSecret, fileKey, file.toString()));

        assertThat(problems)
                .singleElement()
                .asString()
                .startsWith("snowflake 'orders': " + fileKey + "=" + file + " ")
                .contains(" " + secretKey + ".");
        assertHidden(problems.get(0));
    }
}
