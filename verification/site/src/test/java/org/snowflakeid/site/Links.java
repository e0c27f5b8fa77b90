// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.site;

import java.io.IOException;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import org.jsoup.nodes.Document;
import org.jsoup.nodes.Element;

/** Links between files, each of which can be shown as HTML or is something else. */
final class Links {

    /** The HTML of a file, or an empty document for what has no anchors. */
    interface Shown {
        Document html(Path file) throws IOException;
    }

    private final Shown shown;
    private final Map<Path, Document> read = new HashMap<>();
    private int checked;

    Links(Shown shown) {
        this.shown = shown;
    }

    /** How many links were looked at. */
    int checked() {
        return checked;
    }

    /** Those of that file that lead to a file or to an anchor that is not there. */
    List<String> dead(Path file) throws IOException {
        List<String> dead = new ArrayList<>();
        for (String link : links(html(file))) {
            // Of a scheme: elsewhere, and not to be asked in a test.
            if (link.matches("(?i)[a-z][a-z0-9+.-]*:.*")) {
                continue;
            }
            checked++;
            int hash = link.indexOf('#');
            String path = hash < 0 ? link : link.substring(0, hash);
            String anchor = hash < 0 ? "" : decoded(link.substring(hash + 1));
            int query = path.indexOf('?');
            Path target = file.resolveSibling(decoded(query < 0 ? path : path.substring(0, query)))
                    .normalize();
            if (path.isEmpty()) {
                target = file;
            }
            if (!Files.exists(target) || (!anchor.isEmpty() && !anchors(target).contains(anchor))) {
                dead.add(file + ": " + link);
            }
        }
        return dead;
    }

    private Set<String> anchors(Path file) throws IOException {
        Set<String> anchors =
                html(file).select("[id]").stream().map(Element::id).collect(Collectors.toSet());
        anchors.addAll(html(file).select("a[name]").eachAttr("name"));
        return anchors;
    }

    private static List<String> links(Document html) {
        List<String> links = new ArrayList<>(html.select("a[href], link[href]").eachAttr("href"));
        links.addAll(html.select("[src]").eachAttr("src"));
        links.addAll(html.select("[srcset]").eachAttr("srcset"));
        return links;
    }

    private Document html(Path file) throws IOException {
        Document known = read.get(file);
        if (known == null) {
            known = shown.html(file);
            read.put(file, known);
        }
        return known;
    }

    private static String decoded(String text) {
        return URLDecoder.decode(text.replace("+", "%2B"), StandardCharsets.UTF_8);
    }
}
