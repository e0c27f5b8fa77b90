// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class SystemPlatformTest {

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
}
