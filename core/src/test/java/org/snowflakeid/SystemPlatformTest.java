// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class SystemPlatformTest {

    // the thread had been woken or interrupted before, and its wait for the next millisecond kept a processor busy
    @Test
    void aWaitForTheNextMillisecondSleepsThoughAWakeUpIsLeft() {
        ThreadMXBean threads = ManagementFactory.getThreadMXBean();
        int waits = 200;
        long before = threads.getCurrentThreadCpuTime();
        for (int i = 0; i < waits; i++) {
            Platform.system().unpark(Thread.currentThread());
            Platform.system().awaitNextMillis();
        }

        assertThat((threads.getCurrentThreadCpuTime() - before) / waits)
                .as("nanoseconds of processor time for each")
                .isLessThan(300_000);
    }

    // a generator that was opened in a request kept the request's user in its threads
    @Test
    void threadsInheritNothingButTheContextClassLoader() throws Exception {
        InheritableThreadLocal<String> user = new InheritableThreadLocal<>();
        ClassLoader application = new ClassLoader() {};
        CompletableFuture<String> seenUser = new CompletableFuture<>();
        CompletableFuture<ClassLoader> seenLoader = new CompletableFuture<>();
        ClassLoader before = Thread.currentThread().getContextClassLoader();
        Thread thread;
        try {
            user.set("alice");
            Thread.currentThread().setContextClassLoader(application);
            thread = Platform.system().start("started", () -> {
                seenUser.complete(String.valueOf(user.get()));
                seenLoader.complete(Thread.currentThread().getContextClassLoader());
            });
        } finally {
            Thread.currentThread().setContextClassLoader(before);
            user.remove();
        }

        assertThat(seenUser.get(1, TimeUnit.MINUTES)).isEqualTo("null");
        assertThat(seenLoader.get(1, TimeUnit.MINUTES)).isEqualTo(application);
        assertThat(thread.isDaemon()).isTrue();
    }

    @Test
    void whatCopiesOfAProcessWouldShareIsDroppedBeforeACheckpoint() throws Exception {
        Platform system = Platform.system();
        String before = system.process();
        long unused = system.randomLong();
        long opened = openedDescriptors("/dev/urandom");

        system.beforeCheckpoint();

        assertThat(openedDescriptors("/dev/urandom")).isEqualTo(opened - 1);
        assertThat(system.process()).isNotEqualTo(before);
        assertThat(system.isProcess(before)).isTrue();
        assertThat(system.isProcess(system.process())).isTrue();
        assertThat(system.isProcess("another")).isFalse();
        assertThat(system.randomLong()).isNotEqualTo(system.randomLong());
        assertThat(openedDescriptors("/dev/urandom")).isEqualTo(opened);
    }

    /** The JDK may have a thread of its own for secrets. */
    private static long openedDescriptors(String file) throws IOException {
        long found = 0;
        try (DirectoryStream<Path> descriptors = Files.newDirectoryStream(Path.of("/proc/self/fd"))) {
            for (Path descriptor : descriptors) {
                try {
                    found += Files.readSymbolicLink(descriptor).toString().equals(file) ? 1 : 0;
                } catch (NoSuchFileException closedMeanwhile) {
                    // that of this folder
                }
            }
        }
        return found;
    }
}
