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
import java.util.Locale;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.snowflakeid.operator.audit.AuditedColumn.Form;
import org.snowflakeid.operator.audit.Finding.Result;

/**
 * Ids that other generators made, and what the page says is found in them. The first line of a sample says which generator, its layout, and
 * when the sample was taken; all others are a first id, and how many follow on each other. They are two seconds of what
 * {@code bin/compare --chapters twins,clocks --seed 7} recorded.
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

        assertThat(rows).hasSizeGreaterThanOrEqualTo(7).isSubsetOf(page);
        assertThat(page.subList(page.indexOf("## On other generators"), page.size()).stream()
                        .filter(line -> line.startsWith("| ") && !line.startsWith("| generator")))
                .containsExactlyElementsOf(rows);
    }

    private static String row(List<String> sample) {
        String[] header = sample.get(0).split("; ", -1);
        IdLayout layout = IdLayout.parse(header[1]);
        Audit audit = new Audit(
                new AuditedColumn(
                        "t", "id", "t", "id", Form.LONG, "bigint", 19, false, false, null, true, false, false, 0),
                layout,
                InstantSource.fixed(Instant.parse(header[2])));
        TreeMap<Long, Long> table = new TreeMap<>();
        for (String run : sample.subList(1, sample.size())) {
            int blank = run.indexOf(' ');
            long first = Long.parseLong(run.substring(0, blank));
            for (long id = first + Long.parseLong(run.substring(blank + 1)) - 1; id >= first; id--) {
                table.merge(id, 1L, Long::sum);
            }
        }
        table.forEach(audit::see);
        String found = audit.findings().stream()
                .filter(finding -> finding.result() != Result.PASSED)
                // All but the shortest ids are above 2^53.
                .filter(finding -> !finding.name().equals("javascript"))
                .map(finding -> "`" + finding.name() + "`"
                        + (finding.result() == Result.FOUND
                                ? String.format(Locale.ROOT, " (%,d)", finding.count())
                                : ""))
                .collect(Collectors.joining(", "));
        return "| " + header[0] + " | " + String.format(Locale.ROOT, "%,d", audit.rows()) + " | "
                + audit.days().workerIds() + " | " + (found.isEmpty() ? "nothing" : found) + " |";
    }
}
