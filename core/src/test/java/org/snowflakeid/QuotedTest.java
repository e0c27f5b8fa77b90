// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.snowflakeid.config.Quoted;
import org.snowflakeid.records.OwnerEntry;
import org.snowflakeid.spi.Stored;

class QuotedTest {

    @Test
    void whatIsReadableIsShownAsItIs() {
        assertThat(Quoted.of("limit=17 host=größer-日本")).isEqualTo("'limit=17 host=größer-日本'");
    }

    // a record of 2.8 million characters was echoed whole
    @Test
    void whatIsLongIsCut() {
        assertThat(Quoted.of("x".repeat(2_800_000))).hasSizeLessThan(350).endsWith("xxx… (2800000 characters)'");
    }

    // line ends and escape sequences were echoed too
    @Test
    void whatATerminalWouldObeyIsSpelt() {
        assertThat(Quoted.of("a\u001b[31mred\r\nERROR all is lost\u2028\u202eend\uD800"))
                .isEqualTo("'a\\u001b[31mred\\u000d\\u000aERROR all is lost\\u2028\\u202eend\\ud800'");
    }

    @Test
    void ownersAreShownSo() {
        assertThat(OwnerEntry.describe("host=a\u001b[2J since=now")).isEqualTo("host a\\u001b[2J since now");
        assertThat(OwnerEntry.describe("\u0007")).isEqualTo("'\\u0007'");
    }

    @Test
    void recordsThatCannotBeReadAreShownSo() {
        Stage stage = new Stage();
        stage.store.meta = new Stored("\u001b[31m" + "y".repeat(1_000_000), 1);
        Stage.Actor process = stage.process();
        process.startOpening();

        assertThat(process.awaitRefusal().getMessage())
                .contains("has an unreadable record '\\u001b[31myyy")
                .doesNotContain("\u001b")
                .hasSizeLessThan(1_500);
    }
}
