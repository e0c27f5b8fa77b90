// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.ByteBuffer;
import java.util.List;
import java.util.concurrent.Flow;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;

class BoundedBodyTest {
    private final AtomicBoolean cancelled = new AtomicBoolean();
    private final BoundedBody body = new BoundedBody();

    BoundedBodyTest() {
        body.onSubscribe(new Flow.Subscription() {
            @Override
            public void request(long parts) {
                // The test sends what it likes.
            }

            @Override
            public void cancel() {
                cancelled.set(true);
            }
        });
    }

    @Test
    void isWholeAsLongAsItIsNoLongerThanItMayBe() {
        body.onNext(List.of(ByteBuffer.wrap(new byte[] {1, 2}), ByteBuffer.wrap(new byte[] {3})));
        body.onComplete();

        assertThat(body.getBody().toCompletableFuture().join()).containsExactly(1, 2, 3);
        assertThat(cancelled).isFalse();
    }

    @Test
    void isNotReadOnWithoutEnd() {
        ByteBuffer mebibyte = ByteBuffer.allocate(1 << 20);
        for (long sent = 0; sent <= BoundedBody.MOST_BYTES && !cancelled.get(); sent += mebibyte.capacity()) {
            body.onNext(List.of(mebibyte.duplicate()));
        }

        assertThat(cancelled).isTrue();
        assertThatThrownBy(() -> body.getBody().toCompletableFuture().join())
                .hasMessageContaining("it answers with more than 128 MiB");
    }
}
