// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.quarkus.deployment;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.InputStream;
import java.net.URL;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/** What Quarkus' tools show of the extension. */
class ExtensionMetadataTest {

    private static final Path ROOT = Path.of("../..");

    private static String found(String pattern, String text) {
        Matcher matcher = Pattern.compile(pattern).matcher(text);
        assertThat(matcher.find()).as("%s in %s", pattern, text).isTrue();
        return matcher.group(1);
    }

    private static String file(String path) throws IOException {
        return Files.readString(ROOT.resolve(path));
    }

    /** Of the extensions on the class path, ours. */
    private static String metadata() throws IOException {
        List<String> all = new ArrayList<>();
        for (URL each : Collections.list(
                ExtensionMetadataTest.class.getClassLoader().getResources("META-INF/quarkus-extension.yaml"))) {
            try (InputStream content = each.openStream()) {
                all.add(new String(content.readAllBytes(), StandardCharsets.UTF_8));
            }
        }
        all.removeIf(each -> !each.contains("quarkus-snowflake"));
        assertThat(all).hasSize(1);
        return all.get(0);
    }

    @Test
    void leadsToTheGuideAndToTheSources() throws IOException {
        String sources = found("<scm [^>]*>\\s*<connection>[^<]*</connection>\\s*<url>([^<]+)<", file("pom.xml"));

        assertThat(found("scm-url: \"(.*)\"", metadata())).isEqualTo(sources);
        String guide = found("guide: \"(.*)\"", metadata());
        assertThat(guide).startsWith(sources + "/blob/HEAD/");
        assertThat(ROOT.resolve(guide.substring((sources + "/blob/HEAD/").length())))
                .isRegularFile();
    }

    @Test
    void leavesNothingToBeFilledIn() throws IOException {
        assertThat(metadata()).doesNotContain("${");
    }

    @Test
    void namesTheOldestQuarkusThatIsTestedAndThatThePageNames() throws IOException {
        String oldest = found("requires-quarkus-core: \"\\[([\\d.]+),\\)\"", metadata());

        assertThat(found("<quarkus.version>(\\d+\\.\\d+)\\.", file("verification/quarkus-extension/oldest/pom.xml")))
                .isEqualTo(oldest);
        assertThat(found("For Quarkus ([\\d.]+) or newer", file("docs/quarkus.md")))
                .isEqualTo(oldest);
    }
}
