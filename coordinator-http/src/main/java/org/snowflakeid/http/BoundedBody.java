// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.http;

import java.io.IOException;
import java.net.http.HttpResponse.BodySubscriber;
import java.net.http.HttpResponse.BodySubscribers;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Flow;
import org.jspecify.annotations.Nullable;

/** The whole body, unless it is longer than any coordinator's answer: what answers is something else, and would fill the memory. */
final class BoundedBody implements BodySubscriber<byte[]> {

    /** Some hundred thousand marks. */
    static final long MOST_BYTES = 128L << 20;

    private final BodySubscriber<byte[]> whole = BodySubscribers.ofByteArray();
    private Flow.@Nullable Subscription subscription;
    private long bytes;

    @Override
    public CompletionStage<byte[]> getBody() {
        return whole.getBody();
    }

    @Override
    public void onSubscribe(Flow.Subscription made) {
        subscription = made;
        whole.onSubscribe(made);
    }

    @Override
    public void onNext(List<ByteBuffer> part) {
        part.forEach(buffer -> bytes += buffer.remaining());
        if (bytes <= MOST_BYTES) {
            whole.onNext(part);
            return;
        }
        Flow.Subscription made = subscription;
        if (made != null) {
            made.cancel();
        }
        whole.onError(new IOException("it answers with more than " + (MOST_BYTES >> 20) + " MiB"));
    }

    @Override
    public void onError(Throwable failure) {
        whole.onError(failure);
    }

    @Override
    public void onComplete() {
        whole.onComplete();
    }
}
