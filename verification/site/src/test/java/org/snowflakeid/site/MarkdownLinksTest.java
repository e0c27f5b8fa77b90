// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.site;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.commonmark.Extension;
import org.commonmark.ext.gfm.tables.TablesExtension;
import org.commonmark.ext.heading.anchor.HeadingAnchorExtension;
import org.commonmark.parser.Parser;
import org.commonmark.renderer.html.HtmlRenderer;
import org.jsoup.Jsoup;
import org.jsoup.nodes.Document;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The pages as a browser of the repository shows them. */
class MarkdownLinksTest {

    private static final List<Extension> EXTENSIONS =
            List.of(TablesExtension.create(), HeadingAnchorExtension.create());

    private static Document html(Path file) throws IOException {
        if (!file.toString().endsWith(".md")) {
            return new Document("");
        }
        String html = HtmlRenderer.builder()
                .extensions(EXTENSIONS)
                .build()
                .render(Parser.builder().extensions(EXTENSIONS).build().parse(Files.readString(file)));
        return Jsoup.parse(html);
    }

    @Test
    void everyLinkLeadsSomewhere() throws IOException {
        Links links = new Links(MarkdownLinksTest::html);
        List<String> dead = new ArrayList<>();

        for (String page : Pages.names()) {
            dead.addAll(links.dead(Pages.ROOT.resolve(page)));
        }

        assertThat(dead).isEmpty();
        assertThat(links.checked()).isGreaterThan(300);
    }

    @Test
    void aMissingFileAndAMissingAnchorAreFound(@TempDir Path folder) throws IOException {
        Files.writeString(folder.resolve("other.md"), "# One heading, and `code`\n");
        Path page = Files.writeString(folder.resolve("page.md"), """
                # Here
                [good](other.md#one-heading-and-code) [good](#here) [elsewhere](https://example.com/x#y)
                `[no link](missing.md)`

                | [dead](missing.md) |
                |---|
                | [dead](other.md#another) ![dead](missing.svg) <img src="missing.png"> |
                """);

        List<String> dead = new Links(MarkdownLinksTest::html).dead(page);

        assertThat(dead)
                .containsExactlyInAnyOrder(
                        page + ": missing.md",
                        page + ": other.md#another",
                        page + ": missing.svg",
                        page + ": missing.png");
    }

    /** The navigation of the site is made of these lists. */
    @Test
    void everyPageIsInAListOfPages() throws IOException {
        List<String> listed = new ArrayList<>();
        for (String list : List.of("docs/README.md", "docs/decisions/README.md", "docs/reports/README.md")) {
            Path file = Pages.ROOT.resolve(list);
            for (String link : html(file).select("li > a, td > a").eachAttr("href")) {
                listed.add(Pages.ROOT
                        .relativize(file.resolveSibling(link).normalize())
                        .toString());
            }
        }

        assertThat(listed)
                .as("add the new page to docs/README.md, below the heading for its readers")
                .containsAll(Pages.names().stream()
                        .filter(page -> !page.equals("docs/README.md"))
                        .toList());
    }
}
