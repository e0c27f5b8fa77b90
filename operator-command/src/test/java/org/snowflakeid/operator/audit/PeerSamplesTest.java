// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.operator.audit;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.snowflakeid.operator.audit.AuditedColumn.Form;
import org.snowflakeid.operator.audit.Finding.Result;

/**
 * Ids that other generators made, and what the page says is found in them. The first line of a sample says which generator, its layout, and
 * when the sample was taken; all others are ids. They are from {@code bin/compare}.
 */
class PeerSamplesTest {
    private static final Path SAMPLES = Path.of("src/test/resources/samples");
    private static final Path PAGE = Path.of("../docs/audit.md");

    @Test
    void thePageSaysWhatIsFound() throws IOException {
        List<String> rows = new ArrayList<>();
        try (Stream<Path> files = Files.list(SAMPLES)) {
            for (Path file : files.sorted().toList()) {
                rows.add(row(Files.readAllLines(file)));
            }
        }
        List<String> page = Files.readAllLines(PAGE);

        assertThat(rows).hasSizeGreaterThanOrEqualTo(6).isSubsetOf(page);
        assertThat(page.subList(page.indexOf("## On other generators"), page.size()).stream()
                        .filter(line -> line.startsWith("| ") && !line.startsWith("| generator")))
                .containsExactlyElementsOf(rows);
    }

    private static String row(List<String> sample) {
        String[] header = sample.get(0).split("; ");
        IdLayout layout = IdLayout.parse(header[1]);
        Audit audit = new Audit(
                new AuditedColumn("t", "id", "t", "id", Form.LONG, "bigint", 19, false, false, true, false, 0),
                layout,
                InstantSource.fixed(Instant.parse(header[2])));
        TreeMap<Long, Long> table = new TreeMap<>();
        sample.stream().skip(1).forEach(id -> table.merge(Long.valueOf(id), 1L, Long::sum));
        table.forEach(audit::see);
        String found = audit.findings().stream()
                .filter(finding -> finding.result() != Result.PASSED)
                .map(finding -> "`" + finding.name() + "`"
                        + (finding.result() == Result.FOUND ? " (" + finding.count() + ")" : ""))
                .collect(Collectors.joining(", "));
        return "| " + header[0] + " | `" + layout.name() + "` | " + audit.rows() + " | "
                + audit.days().workerIds() + " | " + (found.isEmpty() ? "nothing" : found) + " |";
    }
}
