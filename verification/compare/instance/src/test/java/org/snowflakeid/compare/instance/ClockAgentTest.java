// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.compare.instance;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.Objects;
import java.util.function.LongSupplier;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ClockAgentTest {

    /** Asks the clock by a call, as generators do. */
    public static final class Calling implements LongSupplier {
        @Override
        public long getAsLong() {
            return System.currentTimeMillis();
        }
    }

    /** Asks it by a reference to the method. */
    public static final class Referring implements LongSupplier {
        private final LongSupplier clock = System::currentTimeMillis;

        @Override
        public long getAsLong() {
            return clock.getAsLong();
        }
    }

    private static final class Loader extends ClassLoader {
        Class<?> replaced(Class<?> original) throws IOException {
            String file = "/" + original.getName().replace('.', '/') + ".class";
            try (InputStream in = Objects.requireNonNull(original.getResourceAsStream(file))) {
                byte[] changed = ClockAgent.replace(in.readAllBytes());
                return defineClass(original.getName(), changed, 0, changed.length);
            }
        }

        Loader() {
            super(ClockAgentTest.class.getClassLoader());
        }
    }

    @Test
    void theClockShowsCallersTheWrongTime(@TempDir Path directory) throws ReflectiveOperationException, IOException {
        ByteBuffer wrong = WrongClock.open(directory.resolve("clock"));
        WrongClock.follow(directory.resolve("clock"));
        for (Class<?> original : new Class<?>[] {Calling.class, Referring.class}) {
            LongSupplier clock = (LongSupplier)
                    new Loader().replaced(original).getConstructor().newInstance();
            assertThat(clock.getClass()).isNotEqualTo(original);
            wrong.putLong(0, 0);
            assertThat(Math.abs(clock.getAsLong() - System.currentTimeMillis())).isLessThan(600_000);
            wrong.putLong(0, -3_600_000);
            assertThat(clock.getAsLong()).isLessThan(System.currentTimeMillis() - 3_000_000);
            wrong.putLong(0, 3_600_000);
            assertThat(clock.getAsLong()).isGreaterThan(System.currentTimeMillis() + 3_000_000);
        }
    }
}
