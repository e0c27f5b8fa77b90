// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.rest;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.logging.Handler;
import java.util.logging.Level;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.snowflakeid.ClockMovedBackwardsException;
import org.snowflakeid.SnowflakeException;
import org.snowflakeid.SnowflakeUnavailableException;

/** What is logged of an answer that gives no reason. */
class UnavailableMapperTest {

    private final Logger logger = Logger.getLogger(UnavailableMapper.class.getName());
    private final List<Throwable> warnings = new ArrayList<>();
    private final Handler handler = new Handler() {
        @Override
        public void publish(LogRecord entry) {
            if (entry.getLevel().equals(Level.WARNING)) {
                warnings.add(entry.getThrown());
            }
        }

        @Override
        public void flush() {}

        @Override
        public void close() {}
    };

    private final UnavailableMapper mapper = new UnavailableMapper();

    @BeforeEach
    void listen() {
        logger.addHandler(handler);
    }

    @AfterEach
    void stopListening() {
        logger.removeHandler(handler);
    }

    static Stream<SnowflakeException> told() {
        return Stream.of(
                new SnowflakeUnavailableException("the window is used up"),
                new ClockMovedBackwardsException("the clock is 7 s behind the last id"));
    }

    @ParameterizedTest
    @MethodSource("told")
    void leavesToTheGeneratorWhatItWarnsOfItself(SnowflakeException failure) {
        mapper.toResponse(failure);

        assertThat(warnings).isEmpty();
    }

    @Test
    void warnsOfAnythingElse() {
        SnowflakeException other = new SnowflakeException("no such generator");

        mapper.toResponse(other);
        mapper.toResponse(other);

        assertThat(warnings).containsExactly(other, other);
    }
}
