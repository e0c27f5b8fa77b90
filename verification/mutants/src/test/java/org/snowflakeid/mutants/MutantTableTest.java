// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.mutants;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;

class MutantTableTest {

    private static final Path ROOT = Path.of("../..");

    @Test
    void everyOriginalStandsInTheCodeExactlyOnce() throws IOException {
        MutantTable table = MutantTable.read(ROOT);

        assertThat(table.mutants()).hasSizeGreaterThan(140);
        for (Mutant mutant : table.mutants()) {
            assertThat(mutant.applied(ROOT)).as(mutant.name()).contains(mutant.mutated());
            assertThat(mutant.tests()).as(mutant.name()).isNotEmpty();
        }
    }

    @Test
    void namesAreUnique() throws IOException {
        assertThat(MutantTable.read(ROOT).mutants()).extracting(Mutant::name).doesNotHaveDuplicates();
    }

    @Test
    void originalThatIsGoneIsAnError() {
        Mutant gone = new Mutant("gone", "verification/mutants/mutants.txt", "no such\ttext", "x", List.of(), "-", "-");

        assertThatThrownBy(() -> gone.applied(ROOT))
                .hasMessageContaining("gone")
                .hasMessageContaining("0 times");
    }
}
