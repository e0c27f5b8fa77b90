// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.cdi;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.snowflakeid.tck.Stopwatch.requireWithin;
import static org.snowflakeid.tck.Stopwatch.time;

import jakarta.annotation.PreDestroy;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.enterprise.context.Dependent;
import jakarta.enterprise.context.spi.AlterableContext;
import jakarta.enterprise.inject.Any;
import jakarta.enterprise.inject.spi.BeanManager;
import jakarta.inject.Inject;
import jakarta.inject.Singleton;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CyclicBarrier;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.snowflakeid.Snowflake;
import org.snowflakeid.SnowflakeStatus.State;
import org.snowflakeid.SnowflakeUnavailableException;

class ReleaseTest {

    @BeforeEach
    void forgetEarlierTests() {
        RecordingCoordinatorProvider.JOURNAL.clear();
        LastWords.lastId = 0;
    }

    @Dependent
    static class User {
        @Inject
        Snowflake ids;
    }

    @Test
    void givesTheWorkerIdBackOnceWhenTheApplicationEnds() {
        Snowflake ids;
        try (Application application = Application.of(User.class)) {
            ids = application.get(User.class).ids;
            assertThat(RecordingCoordinatorProvider.JOURNAL).containsExactly("claimed snowflake");
        }

        assertThat(RecordingCoordinatorProvider.JOURNAL).containsExactly("claimed snowflake", "released snowflake");
        assertThat(ids.status().state()).isEqualTo(State.CLOSED);
        assertThatThrownBy(ids::nextId).isInstanceOf(SnowflakeUnavailableException.class);
    }

    @Test
    void claimsAnewForEachApplication() {
        long first;
        try (Application application = Application.of(User.class)) {
            first = application.get(User.class).ids.nextId();
        }
        try (Application application = Application.of(User.class)) {
            assertThat(application.get(User.class).ids.nextId()).isNotEqualTo(first);
        }

        assertThat(RecordingCoordinatorProvider.JOURNAL)
                .containsExactly("claimed snowflake", "released snowflake", "claimed snowflake", "released snowflake");
    }

    @ApplicationScoped
    static class LastWords {
        static volatile long lastId;

        @Inject
        Snowflake ids;

        void use() {}

        @PreDestroy
        void end() {
            lastId = ids.nextId();
        }
    }

    @Test
    void issuesIdsWhileApplicationScopedBeansEnd() {
        try (Application application = Application.of(LastWords.class)) {
            application.get(LastWords.class).use();
        }

        assertThat(LastWords.lastId).isPositive();
        assertThat(RecordingCoordinatorProvider.JOURNAL).containsExactly("claimed snowflake", "released snowflake");
    }

    /** What singletons had when they ended: an id, or why not. */
    static final List<Object> LAST = new CopyOnWriteArrayList<>();

    static class Closing {
        @Inject
        Snowflake ids;

        @PreDestroy
        void end() {
            try {
                LAST.add(ids.nextId());
            } catch (RuntimeException e) {
                LAST.add(e);
            }
        }
    }

    @Singleton
    static class Single1 extends Closing {}

    @Singleton
    static class Single2 extends Closing {}

    @Singleton
    static class Single3 extends Closing {}

    @Singleton
    static class Single4 extends Closing {}

    @Singleton
    static class Single5 extends Closing {}

    @Singleton
    static class Single6 extends Closing {}

    @Singleton
    static class Single7 extends Closing {}

    @Singleton
    static class Single8 extends Closing {}

    @Test
    void issuesIdsWhileSingletonsEnd() {
        LAST.clear();
        try (Application application = Application.of(
                Single1.class,
                Single2.class,
                Single3.class,
                Single4.class,
                Single5.class,
                Single6.class,
                Single7.class,
                Single8.class)) {
            for (Closing each : application.container().select(Closing.class, Any.Literal.INSTANCE)) {
                assertThat(each.ids.nextId()).isPositive();
            }
        }

        assertThat(LAST).hasSize(8);
        if (!Application.BUILD_COMPATIBLE_ALONE) {
            // A build compatible extension learns of nothing that comes after singletons.
            assertThat(LAST).allSatisfy(last -> assertThat(last).isInstanceOf(Long.class));
        }
        assertThat(RecordingCoordinatorProvider.JOURNAL).containsExactly("claimed snowflake", "released snowflake");
    }

    @Test
    void givesTheWorkerIdBackAtOnceIfTheApplicationDestroysTheGenerator() {
        try (Application application = Application.of(User.class)) {
            BeanManager beans = application.container().getBeanManager();
            ((AlterableContext) beans.getContext(Singleton.class))
                    .destroy(beans.resolve(beans.getBeans(Snowflake.class)));

            assertThat(RecordingCoordinatorProvider.JOURNAL).containsExactly("claimed snowflake", "released snowflake");
        }
        assertThat(RecordingCoordinatorProvider.JOURNAL).containsExactly("claimed snowflake", "released snowflake");
    }

    @Dependent
    static class UserOfFive {
        @Inject
        Snowflake ids;

        @Inject
        @SnowflakeName("two")
        Snowflake two;

        @Inject
        @SnowflakeName("three")
        Snowflake three;

        @Inject
        @SnowflakeName("four")
        Snowflake four;

        @Inject
        @SnowflakeName("five")
        Snowflake five;
    }

    /** One after the other, each would be waited for in vain, for nine seconds. */
    @Test
    void givesAllWorkerIdsBackAtTheSameTime() {
        try {
            requireWithin(Duration.ofSeconds(9), () -> {
                RecordingCoordinatorProvider.releasesTogether = new CyclicBarrier(5);
                Application application = Application.of(UserOfFive.class);
                assertThat(application.get(UserOfFive.class).five.nextId()).isPositive();
                return time(application::close);
            });
        } finally {
            RecordingCoordinatorProvider.releasesTogether = null;
        }

        assertThat(RecordingCoordinatorProvider.JOURNAL).contains("released snowflake", "released snowflake/five");
    }
}
