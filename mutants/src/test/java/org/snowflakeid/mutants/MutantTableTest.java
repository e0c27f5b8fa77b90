// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.mutants;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;

class MutantTableTest {

    private static final Path ROOT = Path.of("..");

    @Test
    void everyOriginalStandsInTheCodeExactlyOnce() throws IOException {
        MutantTable table = MutantTable.read(ROOT);

        assertThat(table.mutants()).hasSizeGreaterThan(40);
        for (Mutant mutant : table.mutants()) {
            assertThat(mutant.applied(ROOT)).as(mutant.name()).contains(mutant.mutated());
            assertThat(table.suiteOf(mutant).tests()).isNotEmpty();
        }
    }

    @Test
    void namesAreUnique() throws IOException {
        assertThat(MutantTable.read(ROOT).mutants()).extracting(Mutant::name).doesNotHaveDuplicates();
    }

    @Test
    void originalThatIsGoneIsAnError() {
        Mutant gone = new Mutant("gone", "mutants/mutants.txt", "no such\ttext", "x", "-", "-");

        assertThatThrownBy(() -> gone.applied(ROOT))
                .hasMessageContaining("gone")
                .hasMessageContaining("0 times");
    }
}
