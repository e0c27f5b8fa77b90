// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.operator;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.snowflakeid.LeasedSnowflake;
import org.snowflakeid.SnowflakeLayout;
import org.snowflakeid.SnowflakeSettings;
import org.snowflakeid.administration.NamespaceAdministration;
import org.snowflakeid.testservers.EtcdServer;

/**
 * The map in a real browser. The pictures of the documentation are made here too: with {@code -Dmap.pictures=write} they are written.
 */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class MapPageTest {

    private static final String MARKUP = "<img/src=//evil.example/x/onerror=document.title='hacked'>";
    private static final int ENTER = 13;
    private static final int LEFT = 37;
    private static final int DOWN = 40;

    private Browser browser;

    @BeforeAll
    void open() {
        browser = new Browser();
    }

    @AfterAll
    void close() {
        browser.close();
    }

    /** How many of the legend's states there are. */
    private String count(int state) {
        return browser.text("#legend li:nth-child(" + (state + 1) + ") b");
    }

    private void requireNothingForeign(int port) {
        assertThat(browser.complaints).isEmpty();
        assertThat(browser.requests).isNotEmpty().allMatch(url -> url.startsWith("http://127.0.0.1:" + port + "/"));
        assertThat(browser.cookies()).isEmpty();
    }

    @Test
    void onARealEtcdThePageShowsWhoHoldsWhatAsItChanges() throws Exception {
        try (EtcdServer etcd = EtcdServer.start()) {
            SnowflakeSettings settings = SnowflakeSettings.of(Map.of(
                    "snowflake.coordinator",
                    "etcd",
                    "snowflake.etcd.endpoints",
                    etcd.endpoint(),
                    "snowflake.worker-ids",
                    "100-200"));
            LeasedSnowflake ids = LeasedSnowflake.open(settings);
            int workerId = ids.status().workerId().orElseThrow();
            long ahead = SnowflakeLayout.STANDARD.decode(0).timestamp().until(Instant.now(), ChronoUnit.MILLIS)
                    + Duration.ofDays(3).toMillis();
            etcd.etcdctl(
                    "put",
                    "/snowflake/marks/7",
                    "limit=" + ahead + " token=t k=0 from=0 at=2026-01-01T00:00:00Z until=x");
            etcd.etcdctl("put", "/snowflake/workers/8", "token=t host=" + MARKUP + " pid=1 since=2026-01-01T00:00:00Z");
            etcd.etcdctl("put", "/snowflake/marks/9", "<b>nonsense</b>");
            try (NamespaceAdministration namespace = NamespaceAdministration.open(settings);
                    LiveNamespace live = new LiveNamespace(
                            () -> SeenNamespace.once(namespace), SnowflakeLayout.STANDARD, MadeUpNamespace::summary);
                    MapServer server = new MapServer(live, 0)) {
                browser.begin();
                browser.size(1220, 900, 1);
                browser.open("http://127.0.0.1:" + server.port() + "/");

                assertThat(browser.text("#namespace")).isEqualTo("snowflake");
                assertThat(count(0)).isEqualTo("1,020");
                assertThat(count(1)).isEqualTo("2");
                assertThat(count(3)).isEqualTo("1");
                assertThat(count(4)).isEqualTo("1");
                assertThat(browser.text("#hosts")).contains(MARKUP);
                assertThat(browser.evaluate("document.querySelectorAll('img').length"))
                        .isEqualTo("0");

                // One click from an id to who made it. It is larger than JavaScript's numbers are exact.
                long id = ids.nextId();
                assertThat(id).isGreaterThan(1L << 53);
                browser.type("#lookup", Long.toString(id));
                browser.press("Enter", ENTER);
                browser.awaitText("#answer", "holds worker id " + workerId);
                assertThat(browser.text("#answer dl")).contains(Long.toString(id), "sequence");
                browser.awaitText("#worker", "Worker id " + workerId);
                browser.awaitText("#worker", "held by");

                browser.type("#lookup", "9223372036854775808");
                browser.press("Enter", ENTER);
                browser.awaitText("#answer", "That is no id");

                browser.type("#filter", "EVIL.example");
                browser.awaitText("#matches", "1 held by 1 host");
                assertThat(browser.text("#hosts tr:nth-child(2)")).contains(MARKUP, "8");
                browser.type("#filter", "no host has this name");
                browser.awaitText("#hosts", "No host of that name holds a worker id.");
                browser.type("#filter", " ");

                browser.type("#goto", "8");
                browser.press("Enter", ENTER);
                browser.awaitText("#worker", MARKUP);
                browser.evaluate("document.getElementById('map').focus()");
                browser.press("ArrowLeft", LEFT);
                browser.awaitText("#said", "Worker id 7: reserved far ahead");
                browser.press("ArrowDown", DOWN);
                browser.awaitText("#said", "Worker id 71: free");

                LeasedSnowflake another = LeasedSnowflake.open(settings);
                int next = another.status().workerId().orElseThrow();
                browser.awaitText("#history", "claimed " + next);
                browser.await("document.querySelector('#legend li:nth-child(2) b').textContent === '3'");
                another.close();
                browser.awaitText("#history", "released " + next);

                assertThat(browser.evaluate("document.title")).isEqualTo("snowflake: worker ids");
                requireNothingForeign(server.port());
            }
            ids.close();
        }
    }

    /** Some hundreds of pods, a rolling restart an hour long, and what a wrong clock and a crash leave behind. */
    private static MadeUpNamespace busy(int workerIdBits, int pods) {
        MadeUpNamespace namespace = new MadeUpNamespace(workerIdBits);
        Random random = new Random(7);
        int size = namespace.layout().maxWorkerId() + 1;
        Instant now = Instant.now().truncatedTo(ChronoUnit.MILLIS);
        namespace.now(now);
        for (int i = 0; i < pods; i++) {
            // As if claimed at random, and more in the first half.
            int workerId = (int) (size * Math.pow(random.nextDouble(), 1.6));
            namespace.hold(
                    workerId,
                    "shop-" + (i % 3 == 0 ? "orders-" : i % 3 == 1 ? "basket-" : "stock-") + (i % 40),
                    now.minusSeconds(60 + random.nextInt(90_000)),
                    now.plusSeconds(20 + random.nextInt(40)));
        }
        for (int i = 0; i < pods / 8; i++) {
            int workerId = random.nextInt(size);
            namespace.leave(workerId, random.nextInt(3) == 0 ? now.plusSeconds(50) : now.minusSeconds(900));
        }
        for (int i = 0; i < 9; i++) {
            namespace.leave((int) (size * 0.83) + i, now.plus(Duration.ofDays(400)));
        }
        namespace.hold((int) (size * 0.31), "shop-stock-17", now.minusSeconds(500), now.plus(Duration.ofDays(30)));
        namespace.leave(52, now.minusSeconds(1_300));
        namespace.leave(300, now.minusSeconds(1_800));
        namespace.hold(90, "shop-basket-11", now.minusSeconds(9_000), now.plusSeconds(40));
        namespace.hold(230, "shop-stock-11", now.minusSeconds(9_100), now.plusSeconds(40));
        namespace.hold(410, "shop-stock-39", now.minusSeconds(4_000), now.plusSeconds(42));
        namespace.unreadable((int) (size * 0.56), null);
        namespace.unreadable((int) (size * 0.91), "host shop-basket-3 since " + now.minusSeconds(7_000));
        return namespace;
    }

    /** What happens while an operator looks. */
    private static void goOn(MadeUpNamespace namespace) {
        Instant now = namespace.now();
        namespace.hold(52, "shop-orders-41", now.minusMillis(700), now.plusSeconds(9));
        namespace.hold(300, "shop-orders-42", now.minusMillis(300), now.plusSeconds(9));
        namespace.leave(90, now.minusSeconds(1));
        namespace.leave(230, now.minusSeconds(1));
        // The reservation of before, two seconds later.
        namespace.leave(410, now.plusSeconds(40));
    }

    private void show(MadeUpNamespace namespace, int height, String name) throws Exception {
        try (LiveNamespace live = new LiveNamespace(namespace::seen, namespace.layout(), MadeUpNamespace::summary);
                MapServer server = new MapServer(live, 0)) {
            browser.begin();
            browser.size(1220, height, 1);
            browser.dark(false);
            browser.open("http://127.0.0.1:" + server.port() + "/");
            namespace.atOnce(() -> {
                namespace.pass(Duration.ofSeconds(2));
                goOn(namespace);
            });
            browser.awaitText("#history", "claimed 52");
            long id = namespace.layout().minId(namespace.now())
                    + (52L << namespace.layout().sequenceBits());
            browser.type("#lookup", Long.toString(id));
            namespace.pass(Duration.ofSeconds(1));
            browser.press("Enter", ENTER);
            browser.awaitText("#answer", "Host shop-orders-41 holds worker id 52");
            browser.awaitText("#worker", "Worker id 52");
            browser.evaluate("document.activeElement.blur()");
            byte[] light = browser.screenshot();
            browser.dark(true);
            browser.await("getComputedStyle(document.body).backgroundColor === 'rgb(16, 21, 27)'");
            byte[] dark = browser.screenshot();

            assertThat(dark).isNotEqualTo(light);
            requireNothingForeign(server.port());
            write(name + "-light.png", light);
            write(name + "-dark.png", dark);
        }
    }

    private static void write(String name, byte[] picture) throws IOException {
        if ("write".equals(System.getProperty("map.pictures"))) {
            Path folder = Files.createDirectories(Path.of("..", "docs", "images"));
            Files.write(folder.resolve(name), picture);
        }
    }

    @Test
    void aThousandWorkerIdsAreSquares() throws Exception {
        show(busy(10, 420), 900, "map-1024");

        assertThat(browser.evaluate("document.getElementById('overview-part').hidden"))
                .isEqualTo("true");
    }

    @Test
    void sixtyFiveThousandHaveAnOverviewAndArriveCompressed() throws Exception {
        MadeUpNamespace namespace = busy(16, 30_000);
        show(namespace, 940, "map-65536");

        assertThat(browser.evaluate("document.getElementById('overview-part').hidden"))
                .isEqualTo("false");
        assertThat(browser.text("#overview-hint")).contains("65,536 worker ids, each square is 64");
        assertThat(
                        Integer.parseInt(
                                browser.evaluate(
                                        "performance.getEntriesByType('resource').reduce((sum, each) => Math.max(sum, each.transferSize), 0)")))
                .isBetween(1_000, 300_000);
        browser.type("#goto", "60000");
        browser.press("Enter", ENTER);
        browser.awaitText("#page-hint", "Worker ids 59,392 to 60,415");
        browser.awaitText("#said", "Worker id 60000: ");
        browser.evaluate("document.getElementById('overview').focus()");
        browser.press("ArrowDown", DOWN);
        browser.awaitText("#said", "Worker id 64096: ");
        // The command has ended.
        browser.awaitText("#worker", "No answer.");
        browser.awaitText("#trouble", "does not answer");
    }
}
