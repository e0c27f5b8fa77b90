// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.snowflakeid.config.Key;
import org.snowflakeid.config.SettingsReader;
import org.snowflakeid.config.UnresolvedValueException;

/** A value that refers to a property which is not set was set on purpose, and may be a password all the same. */
class UnresolvedValueTest {

    private static final String COMPLAINT = " refers to a property that is not set. Set that, give it a default as in"
            + " ${name:default}, or escape the ${ if it belongs to the value.";

    private static List<String> problems(Key<?> key, String written) {
        SettingsReader reader = new SettingsReader("orders", name -> {
            throw new UnresolvedValueException(name, written);
        });
        // a second request reports no second problem
        boolean set = reader.isSet(key);
        reader.optional(key);
        assertThat(set).isFalse();
        return reader.problems();
    }

    @Test
    void aHarmlessValueIsShown() {
        Key<String> key = Key.text("snowflake.namespace").meaning("Where.");

        assertThat(problems(key, "shop/${stage}"))
                .containsExactly("snowflake 'orders': snowflake.namespace=shop/${stage}" + COMPLAINT);
    }

    @Test
    void aGeneratorsOwnKeyIsNamed() {
        Key<String> key = Key.text("snowflake.namespace").perGenerator().meaning("Where.");

        assertThat(problems(key, "${stage}"))
                .contains("snowflake 'orders': snowflake.generators.orders.namespace=${stage}" + COMPLAINT);
    }

    @Test
    void nothingOfASecretIsShownNotEvenWhatLooksLikeAName() {
        Key<String> key = Key.secret("snowflake.redis.password", "text").meaning("The password.");

        assertThat(problems(key, "pa${ss}word"))
                .containsExactly("snowflake 'orders': snowflake.redis.password=(not shown)" + COMPLAINT);
    }

    // a second problem said that the key was not set
    @Test
    void ofARequiredKeyIsOneProblem() {
        Key<String> key = Key.address("snowflake.etcd.endpoints", "URLs")
                .required("Set it to the URLs of etcd.")
                .meaning("Where.");

        assertThat(problems(key, "${ETCD}"))
                .containsExactly("snowflake 'orders': snowflake.etcd.endpoints=${ETCD}" + COMPLAINT);
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
                    jdbc:postgresql://${DB_HOST}/ids?user=a&password=s3cret | jdbc:postgresql://${DB_HOST}/ids?***
                    jdbc:postgresql://h/ids?user=a&password=${s3cret}       | jdbc:postgresql://h/ids?***
                    http://app:${s3cret}@h                                  | http://***@h
                    """)
    void ofAnAddressIsShownWhatHoldsNoCredentials(String written, String shown) {
        Key<String> key = Key.address("snowflake.jdbc.url", "a URL").meaning("Where.");

        assertThat(problems(key, written))
                .containsExactly("snowflake 'orders': snowflake.jdbc.url=" + shown + COMPLAINT);
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
                    snowflake.resume.directory | ${user.home}/resume | is relative
                    snowflake.namespace        | ${stage}            | is not a namespace
                    snowflake.window           | ${WINDOW:PT60S}     | is not an ISO-8601 duration
                    snowflake.worker-ids       | ${IDS}              | is not a range of worker ids
                    """)
    void inAMapTheErrorSaysThatNothingResolvesIt(String key, String written, String complaint) {
        assertThatThrownBy(() -> SnowflakeSettings.of(Map.of(key, written)))
                .isInstanceOfSatisfying(
                        InvalidSettingsException.class,
                        e -> assertThat(e.problems())
                                .singleElement()
                                .asString()
                                .startsWith("snowflake 'default': " + key + "=" + written + " " + complaint)
                                .endsWith(
                                        " Nothing here resolves ${…}: MicroProfile Config and Spring do. Write the value itself."));
    }

    @Test
    void whatIsNoExpressionIsNotTakenForOne() {
        assertThatThrownBy(() -> SnowflakeSettings.of(Map.of("snowflake.namespace", "$stage{}")))
                .hasMessageContaining("is not a namespace")
                .hasMessageNotContaining("resolves");
    }

    @Test
    void ofASecretItIsSaidWithoutItsName() {
        Key<String> key = Key.secret("snowflake.consul.token", "text").meaning("The token.");
        SettingsReader reader = new SettingsReader("orders", name -> name.equals(key.name()) ? "${TOKEN}" : null);

        reader.refuse(key, "holds characters that no ACL token has.");

        assertThat(reader.problems())
                .containsExactly(
                        "snowflake 'orders': snowflake.consul.token=(not shown) holds characters that no ACL"
                                + " token has. Nothing here resolves ${…}: MicroProfile Config and Spring do. Write the value itself.");
    }

    @Test
    void theExceptionItselfShowsNoValue() {
        UnresolvedValueException e = new UnresolvedValueException("snowflake.redis.password", "pa${ss}word");

        assertThat(e).hasMessage("snowflake: snowflake.redis.password" + COMPLAINT);
        assertThat(e.problems()).containsExactly("snowflake: snowflake.redis.password" + COMPLAINT);
    }
}
