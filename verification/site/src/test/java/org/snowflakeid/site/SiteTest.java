// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.site;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.jsoup.Jsoup;
import org.jsoup.nodes.Document;
import org.jsoup.nodes.Element;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What bin/site makes, without the Javadoc. */
class SiteTest {

    private static final int NARROW = 390;
    /** A page may look into a frame with another file, which has an origin of its own otherwise. */
    private static final String INTO_FRAMES = "--allow-file-access-from-files";

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

    @Test
    void theHomePageShowsTheFirstScreenOfTheReadme() throws IOException {
        Document home = html(SITE.resolve("index.html"));
        String readme = Pages.text("README.md");

        assertThat(home.select(".home-sentence").text()).isNotEmpty();
        assertThat(readme).contains("\n\n" + home.select(".home-sentence").text() + "\n\n");
        assertThat(home.select(".home-first .highlight").first().wholeText().strip())
                .isEqualTo(Pages.blocks("java", "README.md").get(0).strip());
        assertThat(home.select(".home-claims > li")).hasSize(3).allSatisfy(claim -> assertThat(claim.select("a"))
                .hasSize(1));
        assertThat(home.select(".home-first a.home-button").eachAttr("href")).containsExactly("docs/start.html");
        assertThat(home.select("picture img").eachAttr("src")).containsExactly("docs/images/how-id.svg");
    }

    @Test
    void theHomePageHasATabForEachRuntime() throws IOException {
        Document home = html(SITE.resolve("index.html"));
        List<Element> tabs = home.select(".home-tab");

        assertThat(home.select(".home-tabs > label").eachText())
                .containsExactly("Helidon", "Quarkus", "Payara", "Open Liberty", "Spring Boot", "Plain Java");
        assertThat(tabs).hasSize(6);
        for (Element tab : tabs) {
            String page = tab.select("a").attr("href").replaceAll("html$", "md");

            assertThat(Pages.blocks("java", page).get(0).strip())
                    .isEqualTo(tab.select(".highlight").last().wholeText().strip());
            assertThat(tab.select(".highlight").first().wholeText())
                    .contains("<artifactId>snowflake-coordinator-file</artifactId>")
                    .doesNotContain("snowflake-testing");
        }
    }

    // a row of zeros alone would promise what one run can't show
    @Test
    void theHomePageHasARowOfTheComparisonWithItsCaveats() throws IOException {
        Document home = html(SITE.resolve("index.html"));
        Element row = home.select(".home-row").first();
        String comparison = Pages.text("docs/comparison.md");

        assertThat(row.select("dt")).hasSize(9);
        for (Element generator : row.select("> div")) {
            assertThat(comparison)
                    .containsPattern(
                            "\n\\| " + Pattern.quote(generator.select("dt").text()) + " \\|.*\\| "
                                    + generator.select("dd").text() + " \\|\n");
        }
        assertThat(row.parent().text()).contains("A zero proves nothing", "Ours is not safe in wiped either");
    }

    @Test
    void noTitleHasTheVersionOfAnUnreleasedBuild() throws IOException {
        for (Path page : pages()) {
            assertThat(html(page).title()).as(page.toString()).isNotEmpty().doesNotContain("SNAPSHOT");
            assertThat(html(page).select(".sidebar-brand").text()).doesNotContain("SNAPSHOT");
        }
    }

    @Test
    void theNavigationHasFourGroupsAndTheOneOfThePageIsOpen() throws IOException {
        for (String[] expected : new String[][] {
            {"index.html", "Start"},
            {"docs/start.html", "Start"},
            {"docs/jpa.html", "Guides"},
            {"docs/runbook.html", "Operate"},
            {"docs/decisions/0006-threads-wait-in-turn.html", "Evidence"}
        }) {
            List<Element> groups = html(SITE.resolve(expected[0])).select(".sidebar-tree > details");

            assertThat(groups)
                    .extracting(group -> group.select("> summary").text())
                    .containsExactly("Start", "Guides", "Operate", "Evidence");
            assertThat(groups)
                    .filteredOn(group -> group.hasAttr("open"))
                    .extracting(group -> group.select("> summary").text())
                    .as(expected[0])
                    .containsExactly(expected[1]);
        }
    }

    @Test
    void theListForCodingAgentsLeadsToPagesOfTheSite() throws IOException {
        List<MatchResult> links = Pattern.compile("]\\(([^)]+)\\)")
                .matcher(Files.readString(SITE.resolve("llms.txt")))
                .results()
                .toList();

        assertThat(links).hasSizeGreaterThan(50).allSatisfy(link -> assertThat(SITE.resolve(link.group(1)))
                .isRegularFile());
        assertThat(html(SITE.resolve("index.html")).select("a").eachAttr("href"))
                .contains("llms.txt", "docs/for-coding-agents.html");
    }

    /** From the disk, where browsers refuse to fetch anything. */
    @Test
    void theSearchFindsAPage(@TempDir Path folder) throws Exception {
        Document shown = shown(folder, SITE.resolve("search.html").toUri() + "?q=monotonic+clock");

        assertThat(shown.select("#search-results li a").eachAttr("href"))
                .anyMatch(found -> found.startsWith("docs/architecture.html"));
    }

    /** In frames that run no script, as wide as a telephone. */
    @Test
    void pagesWithPicturesFitANarrowWindowWithoutScripts(@TempDir Path folder) throws Exception {
        StringBuilder frames = new StringBuilder();
        for (Path page : pages()) {
            if (!html(page).select("article img").isEmpty()) {
                frames.append("<iframe sandbox='allow-same-origin' width='390' height='800' style='border:0' src='")
                        .append(page.toUri())
                        .append("'></iframe>\n");
            }
        }
        Path narrow = Files.writeString(folder.resolve("narrow.html"), """
                <body>%s<script>
                onload = () => document.querySelectorAll("iframe").forEach(frame => {
                    const page = frame.contentDocument;
                    const shown = document.body.appendChild(document.createElement("p"));
                    shown.title = frame.src;
                    shown.dataset.width = page.documentElement.scrollWidth;
                    shown.dataset.pictures = [...page.querySelectorAll("article img")]
                        .map(image => image.complete && image.naturalWidth > 0 ? Math.ceil(image.getBoundingClientRect().right) : 9999);
                });
                </script></body>
                """.formatted(frames));

        List<Element> shown =
                shown(folder, narrow.toUri().toString(), INTO_FRAMES).select("p[data-width]");

        assertThat(shown).hasSizeGreaterThan(4).allSatisfy(page -> {
            assertThat(Integer.parseInt(page.attr("data-width")))
                    .as(page.attr("title"))
                    .isLessThanOrEqualTo(NARROW);
            assertThat(page.attr("data-pictures").split(","))
                    .as(page.attr("title"))
                    .allSatisfy(right -> assertThat(Integer.parseInt(right)).isLessThanOrEqualTo(NARROW));
        });
    }

    @Test
    void theTabsChangeWithoutScripts(@TempDir Path folder) throws Exception {
        Path tabs = Files.writeString(folder.resolve("tabs.html"), """
                <body><iframe sandbox='allow-same-origin' width='1280' height='800' src='%s'></iframe><script>
                onload = () => {
                    const page = document.querySelector("iframe").contentDocument;
                    const visible = () => [...page.querySelectorAll(".home-tab")].filter(tab => tab.offsetHeight > 0)
                        .map(tab => tab.querySelector("a").textContent);
                    document.body.dataset.first = visible();
                    page.querySelector("label[for=runtime-open-liberty]").click();
                    document.body.dataset.then = visible();
                };
                </script></body>
                """.formatted(
                        SITE.resolve("index.html").toUri()));

        Element body = shown(folder, tabs.toUri().toString(), INTO_FRAMES).body();

        assertThat(body.attr("data-first")).isEqualTo("Helidon");
        assertThat(body.attr("data-then")).isEqualTo("Open Liberty");
    }

    /** What Chromium makes of that page, after its scripts. */
    private static Document shown(Path folder, String address, String... options)
            throws IOException, InterruptedException {
        List<String> command = new ArrayList<>(List.of(
                chromium(),
                "--headless=new",
                // Needs privileges that containers and build machines don't give; nothing foreign is shown.
                "--no-sandbox",
                "--disable-gpu",
                "--disable-dev-shm-usage",
                "--host-resolver-rules=MAP * ~NOTFOUND",
                "--user-data-dir=" + folder.resolve("profile"),
                "--virtual-time-budget=20000",
                "--dump-dom"));
        command.addAll(List.of(options));
        command.add(address);
        return Jsoup.parse(run(folder.resolve("shown.html"), command.toArray(String[]::new)));
    }

    private static String chromium() {
        return Stream.of("chromium", "chromium-browser", "google-chrome")
                .filter(name -> Stream.of(System.getenv("PATH").split(":"))
                        .anyMatch(folder -> Files.isExecutable(Path.of(folder, name))))
                .findFirst()
                .orElseThrow(() -> new AssertionError("needs Chromium: install it (Debian: apt-get install chromium)"));
    }
}
