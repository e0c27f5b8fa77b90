// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.etcd;

import io.etcd.jetcd.ByteSequence;
import io.etcd.jetcd.Client;
import io.etcd.jetcd.Watch;
import io.etcd.jetcd.options.WatchOption;
import io.etcd.jetcd.watch.WatchEvent;
import io.etcd.jetcd.watch.WatchResponse;
import java.lang.System.Logger.Level;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * Gives the loss hint when somebody deletes or replaces an owner entry of this process, or its lease is revoked. Only a hint:
 * it may come late or never, and no failure of it is anybody else's. A watch that ended is not mended here but begun anew by
 * the next extension that finds the owner in place.
 */
final class OwnerWatch {
    private static final System.Logger LOG = System.getLogger(OwnerWatch.class.getName());
    private static final int DENIALS_TO_GIVE_UP = 3;

    private final EtcdConnection connection;
    private final Runnable lossHint;
    private final Map<Integer, Entry> entries = new ConcurrentHashMap<>();
    private final AtomicInteger denials = new AtomicInteger();

    OwnerWatch(EtcdConnection connection, Runnable lossHint) {
        this.connection = connection;
        this.lossHint = lossHint;
    }

    /** The owner entry was this process's at that revision: report when it is no longer. */
    void watch(int id, ByteSequence key, long revision) {
        Client client = connection.client();
        Entry present = entries.get(id);
        boolean watched = present != null && present.client.equals(client) && !present.ended;
        if (client == null || watched || denials.get() >= DENIALS_TO_GIVE_UP) {
            return;
        }
        end(id);
        Entry entry = new Entry(client, revision);
        WatchOption from = WatchOption.builder().withRevision(revision + 1).build();
        try {
            entry.watcher = client.getWatchClient().watch(key, from, entry);
            entries.put(id, entry);
            if (entry.ended) {
                connection.background(entry::close);
            }
        } catch (RuntimeException e) {
            LOG.log(Level.DEBUG, "no watch on the owner entry of worker id " + id, e);
        }
    }

    void end(int id) {
        Entry entry = entries.remove(id);
        if (entry != null) {
            entry.ended = true;
            connection.background(entry::close);
        }
    }

    /** Others may go on using the client. */
    void endAll() {
        List.copyOf(entries.keySet()).forEach(this::end);
    }

    private final class Entry implements Watch.Listener {
        private final Client client;
        private final long revision;
        private volatile Watch.@Nullable Watcher watcher;
        private volatile boolean ended;

        Entry(Client client, long revision) {
            this.client = client;
            this.revision = revision;
        }

        @Override
        public void onNext(WatchResponse response) {
            for (WatchEvent event : response.getEvents()) {
                // jetcd resumes a watch at the revision it saved, which may be one too low.
                if (!ended && event.getKeyValue().getModRevision() > revision) {
                    hint();
                }
            }
        }

        private void hint() {
            try {
                lossHint.run();
            } catch (RuntimeException e) {
                // Thrown on, it would end the watch without a sign.
                LOG.log(Level.DEBUG, "the loss hint failed", e);
            }
        }

        @Override
        public void onError(Throwable failure) {
            if (String.valueOf(failure.getMessage()).contains("permission denied")) {
                // jetcd would try again for ever, twice a second, with a login each time.
                denials.incrementAndGet();
                ended = true;
                connection.background(this::close);
            }
        }

        @Override
        public void onCompleted() {
            ended = true;
        }

        void close() {
            Watch.Watcher open = watcher;
            if (open != null) {
                open.close();
            }
        }
    }
}
