// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.kubernetes;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.snowflakeid.testservers.kubernetes.ApiServer;
import org.yaml.snakeyaml.Yaml;

/** The manifest on the page. That its rights are enough, and no others are used, is tested with the rights themselves. */
class ManifestTest {

    private static List<Map<?, ?>> manifest() throws IOException {
        String page = Files.readString(Path.of("../docs/coordinator-kubernetes.md"));
        int begin = page.indexOf("```yaml\n") + "```yaml\n".length();
        List<Map<?, ?>> documents = new ArrayList<>();
        new Yaml()
                .loadAll(page.substring(begin, page.indexOf("```", begin)))
                .forEach(document -> documents.add((Map<?, ?>) document));
        return documents;
    }

    private static Object at(Object document, String... path) {
        Object at = document;
        for (String name : path) {
            at = ((Map<?, ?>) at).get(name);
        }
        return at;
    }

    @Test
    void grantsWhatIsUsedToTheServiceAccountThatItMakes() throws IOException {
        List<Map<?, ?>> manifest = manifest();
        Map<?, ?> account = manifest.get(0);
        Map<?, ?> role = manifest.get(1);
        Map<?, ?> binding = manifest.get(2);

        assertThat(manifest)
                .extracting(each -> at(each, "kind"))
                .isEqualTo(List.of("ServiceAccount", "Role", "RoleBinding"));
        assertThat(at(role, "rules"))
                .isEqualTo(List.of(Map.of(
                        "apiGroups", List.of("coordination.k8s.io"),
                        "resources", List.of("leases"),
                        "verbs", ApiServer.VERBS)));
        assertThat(at(binding, "roleRef"))
                .isEqualTo(Map.of(
                        "apiGroup", "rbac.authorization.k8s.io", "kind", "Role", "name", at(role, "metadata", "name")));
        assertThat(at(binding, "subjects"))
                .isEqualTo(List.of(Map.of(
                        "kind", "ServiceAccount",
                        "name", at(account, "metadata", "name"),
                        "namespace", at(account, "metadata", "namespace"))));
        assertThat(manifest)
                .extracting(each -> at(each, "metadata", "namespace"))
                .containsOnly("apps");
    }
}
