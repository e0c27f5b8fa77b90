// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.site;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.jsoup.Jsoup;
import org.jsoup.nodes.Document;
import org.jsoup.nodes.Element;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What bin/site makes, without the Javadoc. */
class SiteTest {

    private static final Path SITE = Path.of("target/site").toAbsolutePath();

    @BeforeAll
    static void makeIt() throws Exception {
        run(Path.of("target/site.log"), Pages.ROOT.resolve("bin/site").toString(), "--pages", SITE.toString());
    }

    /** Its output; it must succeed. */
    private static String run(Path output, String... command) throws IOException, InterruptedException {
        Process process = new ProcessBuilder(command)
                .redirectErrorStream(true)
                .redirectOutput(output.toFile())
                .start();
        try {
            assertThat(process.waitFor(5, TimeUnit.MINUTES))
                    .as(Files.readString(output))
                    .isTrue();
        } finally {
            process.destroyForcibly();
        }
        assertThat(process.exitValue()).as(Files.readString(output)).isZero();
        return Files.readString(output);
    }

    private static Document html(Path file) throws IOException {
        return file.toString().endsWith(".html") ? Jsoup.parse(file) : new Document("");
    }

    private static List<Path> pages() throws IOException {
        try (Stream<Path> files = Files.walk(SITE)) {
            return files.filter(file -> file.toString().endsWith(".html")).toList();
        }
    }

    @Test
    void everyLinkLeadsSomewhere() throws IOException {
        Links links = new Links(SiteTest::html);
        List<String> dead = new ArrayList<>();

        for (Path page : pages()) {
            dead.addAll(links.dead(page));
        }

        assertThat(dead).isEmpty();
        assertThat(links.checked()).isGreaterThan(3000);
    }

    @Test
    void everyMarkdownPageIsThere() throws IOException {
        assertThat(Pages.names()).allSatisfy(page -> assertThat(SITE.resolve(page.replaceAll("md$", "html")))
                .exists());
    }

    @Test
    void nothingIsLoadedFromElsewhere() throws IOException {
        for (Path page : pages()) {
            for (Element loaded : html(page).select("script[src], img[src], link[href]:not([rel=canonical])")) {
                String address = loaded.hasAttr("src") ? loaded.attr("src") : loaded.attr("href");
                assertThat(address).as(page.toString()).doesNotMatch("(?i)(https?:)?//.*");
            }
        }
    }

    /** From the disk, where browsers refuse to fetch anything. */
    @Test
    void theSearchFindsAPage(@TempDir Path profile) throws Exception {
        String shown = run(
                profile.resolve("shown.html"),
                chromium(),
                "--headless=new",
                // Needs privileges that containers and build machines don't give; nothing foreign is shown.
                "--no-sandbox",
                "--disable-gpu",
                "--disable-dev-shm-usage",
                "--host-resolver-rules=MAP * ~NOTFOUND",
                "--user-data-dir=" + profile.resolve("profile"),
                "--virtual-time-budget=20000",
                "--dump-dom",
                SITE.resolve("search.html").toUri() + "?q=monotonic+clock");

        assertThat(Jsoup.parse(shown).select("#search-results li a").eachAttr("href"))
                .anyMatch(found -> found.startsWith("docs/architecture.html"));
    }

    private static String chromium() {
        return Stream.of("chromium", "chromium-browser", "google-chrome")
                .filter(name -> Stream.of(System.getenv("PATH").split(":"))
                        .anyMatch(folder -> Files.isExecutable(Path.of(folder, name))))
                .findFirst()
                .orElseThrow(() -> new AssertionError("needs Chromium: install it (Debian: apt-get install chromium)"));
    }
}
