// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;
import static org.snowflakeid.tck.Node.PATIENCE;
import static org.snowflakeid.tck.Node.TIMEOUT;
import static org.snowflakeid.tck.Node.assertPermanent;
import static org.snowflakeid.tck.Node.await;

import java.net.InetAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.snowflakeid.CoordinatorException;
import org.snowflakeid.spi.CoordinatorConfig;
import org.snowflakeid.spi.RecordStore;
import org.snowflakeid.spi.RecordStore.Write;
import org.snowflakeid.support.Shared;
import org.snowflakeid.testservers.RedisServer;
import org.snowflakeid.testservers.TcpProxy;

/** A name of a host with two addresses, as Compose and Kubernetes give it to several containers of one service. */
class SeveralServersOfOneNameTest {
    private static final String KEY = "snowflake/meta";
    private static final List<String> ADDRESSES = List.of("127.0.0.1", "127.0.0.2");

    private final AtomicLong nanos = new AtomicLong();
    private final List<TcpProxy> proxies = new ArrayList<>();
    private final RedisServer first = RedisServer.start();
    private final RedisServer second = RedisServer.start();

    @AfterEach
    void stop() {
        proxies.forEach(TcpProxy::close);
        first.close();
        second.close();
    }

    /** At its second address the name leads to that port from now on. */
    private void leadSecondAddressTo(int port) {
        proxies.add(TcpProxy.to(port, ADDRESSES.get(1), first.clientPort()));
    }

    private RecordStore store(List<String> addresses) {
        Shared<RedisSettings.Access, SharedRedis> all = SharedRedis.all(
                host -> {
                    InetAddress[] found = new InetAddress[addresses.size()];
                    for (int i = 0; i < found.length; i++) {
                        found[i] = InetAddress.getByAddress(
                                host, InetAddress.getByName(addresses.get(i)).getAddress());
                    }
                    return found;
                },
                nanos::get);
        Map<String, String> keys = Map.of("snowflake.redis.uri", "redis://redis:" + first.clientPort());
        return new RedisStore(
                new RedisSettings(new CoordinatorConfig("orders", "snowflake", Duration.ofSeconds(60), keys::get)),
                all);
    }

    private static boolean isUsed(RecordStore store) {
        return store.compareAndSet(KEY, null, "id=a", TIMEOUT) instanceof Write.Applied;
    }

    // one process used the first and another the second, for good, with equal ids
    @Test
    void twoThatTakeWritesAreRefused() {
        leadSecondAddressTo(second.clientPort());
        for (List<String> addresses : List.of(ADDRESSES, List.of(ADDRESSES.get(1), ADDRESSES.get(0)))) {
            try (RecordStore store = store(addresses)) {
                assertPermanent(
                        catchThrowableOfType(CoordinatorException.class, () -> store.read(List.of(KEY), TIMEOUT)),
                        "redis (redis://redis:" + first.clientPort() + ") is not one server: its host has several"
                                + " addresses, and at " + addresses.get(1) + " is another primary",
                        "Name one of them in snowflake.redis.uri.");
                assertPermanent(
                        catchThrowableOfType(
                                CoordinatorException.class, () -> store.compareAndSet(KEY, null, "id=a", TIMEOUT)),
                        "is not one server");
            }
        }
        assertThat(first.command("GET", KEY)).isEmpty();
        assertThat(second.command("GET", KEY)).isEmpty();
    }

    @Test
    void oneServerWithTwoAddressesIsUsed() {
        leadSecondAddressTo(first.clientPort());
        try (RecordStore store = store(ADDRESSES)) {
            assertThat(isUsed(store)).isTrue();
        }
    }

    @Test
    void aPrimaryAndItsReplicaAreUsed() {
        second.command("REPLICAOF", "127.0.0.1", Integer.toString(first.clientPort()));
        await(PATIENCE, () -> second.info("master_link_status").equals("up"));
        leadSecondAddressTo(second.clientPort());
        try (RecordStore store = store(ADDRESSES)) {
            assertThat(isUsed(store)).isTrue();
        }
    }

    @Test
    void anAddressAtWhichThereIsNoneIsNoSignOfAnything() {
        try (RecordStore store = store(List.of(ADDRESSES.get(1), ADDRESSES.get(0)))) {
            assertThat(isUsed(store)).isTrue();
        }
    }

    @Test
    void anAddressThatDoesNotAnswerHoldsUpNoCallForLong() {
        leadSecondAddressTo(second.clientPort());
        proxies.get(0).freeze();
        try (RecordStore store = store(ADDRESSES)) {
            assertThat(isUsed(store)).isTrue();
        }
    }

    // a process that had begun while the first was away used the second for good
    @Test
    void oneThatComesLaterIsRecognisedWithinAMinute() {
        try (RecordStore store = store(ADDRESSES)) {
            assertThat(isUsed(store)).isTrue();
            leadSecondAddressTo(second.clientPort());
            assertThat(store.read(List.of(KEY), TIMEOUT).entries()).containsOnlyKeys(KEY);
            nanos.addAndGet(Duration.ofMinutes(1).toNanos());

            assertPermanent(
                    catchThrowableOfType(CoordinatorException.class, () -> store.read(List.of(KEY), TIMEOUT)),
                    "is not one server");
        }
    }
}
