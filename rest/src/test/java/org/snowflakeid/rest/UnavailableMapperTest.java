// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.rest;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import java.util.logging.Handler;
import java.util.logging.Level;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
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

    private final AtomicLong now = new AtomicLong(Long.MAX_VALUE);
    private final UnavailableMapper mapper = new UnavailableMapper(now::get);

    @BeforeEach
    void listen() {
        logger.addHandler(handler);
    }

    @AfterEach
    void stopListening() {
        logger.removeHandler(handler);
    }

    // nothing else logs it
    @Test
    void warnsOfAClockThatIsBehindOnceAMinute() {
        SnowflakeException behind = new ClockMovedBackwardsException("the clock is 7 s behind the last id");
        SnowflakeException stillBehind = new ClockMovedBackwardsException("the clock is 6 s behind the last id");

        mapper.toResponse(behind);
        now.addAndGet(Duration.ofSeconds(59).toNanos());
        mapper.toResponse(stillBehind);
        assertThat(warnings).containsExactly(behind);

        now.addAndGet(Duration.ofSeconds(1).toNanos());
        mapper.toResponse(stillBehind);
        assertThat(warnings).containsExactly(behind, stillBehind);
    }

    @Test
    void leavesAnOutageToTheGeneratorsOwnWarnings() {
        mapper.toResponse(new SnowflakeUnavailableException("the window is used up"));

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
