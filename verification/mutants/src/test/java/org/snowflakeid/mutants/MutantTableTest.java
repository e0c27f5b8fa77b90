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

    // one that left a bracket open ended the run of all
    @Test
    void eachLeavesAsManyBracketsOpenAsItsOriginal() throws IOException {
        for (Mutant mutant : MutantTable.read(ROOT).mutants()) {
            for (String pair : List.of("{}", "()", "[]")) {
                assertThat(open(mutant.mutated(), pair))
                        .as("%s in %s", pair, mutant.name())
                        .isEqualTo(open(mutant.original(), pair));
            }
        }
    }

    private static long open(String code, String pair) {
        return code.chars()
                .map(letter -> letter == pair.charAt(0) ? 1 : letter == pair.charAt(1) ? -1 : 0)
                .sum();
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
