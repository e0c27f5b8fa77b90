// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.compare;

import java.util.List;
import java.util.Map;

/** All that can be compared, ours first. */
final class Subjects {
    private static final String LEASE = "PT" + Chapter.LEASE_SECONDS + "S";
    private static final String OUR_SETTINGS =
            "`snowflake.window` is 8 s (60 s unless set), `snowflake.worker-ids` is `0-3` (all 1,024"
                    + " unless set), everything else is as it comes. Set up as the page \"In plain Java\" says.";
    private static final String OUR_CLAIMS =
            "It does not claim to issue ids while its coordinator answers nothing for longer than the"
                    + " window: calls throw then. Nor does it claim to survive a coordinator that lost its data: a process that notices this"
                    + " issues nothing more until it is started again, and unless `snowflake.namespace-creation` is `require`, a process that"
                    + " starts may begin anew before the others have noticed.";

    /** Of the first snowflakes: 41 bits of time, 10 of worker id, 12 of sequence. */
    private static final Subject.WorkerIds CLASSIC = new Subject.WorkerIds(12, 10);

    static final List<Subject> ALL = List.of(
            ours("etcd", Coordinator.ETCD, "snowflake.etcd.endpoints", "http://127.0.0.1:"),
            ours("redis", Coordinator.REDIS, "snowflake.redis.uri", "redis://127.0.0.1:"),
            ours("zookeeper", Coordinator.ZOOKEEPER, "snowflake.zookeeper.connect-string", "127.0.0.1:"),
            new Subject(
                    "cosid",
                    "CosId 2.13.0 on Redis",
                    "cosid",
                    "org.snowflakeid.compare.cosid.CosId",
                    Coordinator.REDIS,
                    (port, number, unique) -> Map.of(
                            "spring.data.redis.host", "127.0.0.1",
                            "spring.data.redis.port", Integer.toString(port),
                            "cosid.namespace", "compare",
                            "cosid.machine.enabled", "true",
                            "cosid.machine.machine-bit", "2",
                            "cosid.machine.distributor.type", "redis",
                            "cosid.machine.guarder.initial-delay", "PT2S",
                            "cosid.machine.guarder.delay", "PT2S",
                            "cosid.machine.guarder.safe-guard-duration", LEASE,
                            "cosid.snowflake.enabled", "true"),
                    new Subject.WorkerIds(12, 2),
                    "With Spring Boot 3.5.0, as its \"Quick Start\" says. `cosid.machine.guarder.safe-guard-duration`, after which a"
                            + " machine id may be given to another, is 8 s (five minutes unless set), with a sign of life every 2 s (a minute"
                            + " unless set): a pause of more than 8 s does here what one of more than five minutes does with the defaults."
                            + " `cosid.machine.machine-bit` is 2 (10 unless set). The instance is known by its address and process id,"
                            + " as it comes.",
                    "Its documentation asks for an instance id that is unique everywhere; address and process id are only what it takes"
                            + " if none is set. It does not claim that a process whose machine id was given to another stops issuing."),
            new Subject(
                    "leaf",
                    "Leaf 1.0.1 on ZooKeeper",
                    "leaf",
                    "org.snowflakeid.compare.leaf.Leaf",
                    Coordinator.ZOOKEEPER,
                    (port, number, unique) -> Map.of(
                            "leaf.snowflake.zk.address",
                            "127.0.0.1:" + port,
                            "leaf.snowflake.port",
                            Integer.toString(8080 + number)),
                    CLASSIC,
                    "Meituan's Leaf as `com.tencent.devops.leaf:leaf-core` 1.0.1-RELEASE, the form of it that Maven Central has, with"
                            + " Curator 2.6.0 and the client of ZooKeeper 3.4.6, for which it was built. `leaf.snowflake.zk.address` and"
                            + " `leaf.snowflake.port`, a port for each process, as its README says for `leaf.properties`. It has no lease and"
                            + " gives no worker id to another, so a pause has nothing to hit.",
                    "It is a server that others ask for ids, one for each address and port; it does not claim to be safe when two have the"
                            + " same address and port, nor to give worker ids back: there are 1,024 for ever."),
            new Subject(
                    "hutool",
                    "Hutool 5.8.44",
                    "alone",
                    "org.snowflakeid.compare.alone.Hutool",
                    Coordinator.NONE,
                    (port, number, unique) -> Map.of(),
                    CLASSIC,
                    "`IdUtil.getSnowflakeNextId()`, as its documentation (IdUtil) shows it for simple use: data centre from the MAC address, worker id from that and the process id, 5 bits each. All processes here have one MAC address, as those of one machine have.",
                    "It asks no coordinator for its worker id. Its documentation leaves it to the application to give worker id and data centre, which are parameters of another call."),
            new Subject(
                    "yitter",
                    "Yitter IdGenerator 1.0.6",
                    "alone",
                    "org.snowflakeid.compare.alone.Yitter",
                    Coordinator.NONE,
                    (port, number, unique) -> Map.of("WorkerId", Integer.toString(unique)),
                    new Subject.WorkerIds(6, 6),
                    "`YitIdHelper.setIdGenerator(new IdGeneratorOptions(workerId))`, as its README says, with a `WorkerId` for each process that no other has, twins included, since its README says that it must be given from outside.",
                    "It asks no coordinator for its worker id: that is the application's task. It does claim to bear clocks that are set back."),
            new Subject(
                    "seata",
                    "Seata 2.5.0",
                    "alone",
                    "org.snowflakeid.compare.alone.Seata",
                    Coordinator.NONE,
                    (port, number, unique) -> Map.of("serverNode", Integer.toString(unique)),
                    new Subject.WorkerIds(53, 10),
                    "`IdWorker` of `seata-common`, which makes the ids of transactions in Seata's server, with a `serverNode` for each"
                            + " process that no other has, twins included: its documentation (\"Deploy server\") says to give each of"
                            + " several servers one. Without it, the MAC address decides.",
                    "It asks no coordinator for its worker id. After its start it counts on from the time it had then, and does not claim that"
                            + " the times in its ids are true."),
            new Subject(
                    "tsid",
                    "tsid-creator 5.2.6",
                    "alone",
                    "org.snowflakeid.compare.alone.Tsid",
                    Coordinator.NONE,
                    (port, number, unique) -> Map.of(),
                    CLASSIC,
                    "`TsidCreator.getTsid()`, as its README shows it first: the node is a random number of 10 bits, drawn at each start.",
                    "It asks no coordinator for its node. Its README tells how to set the node, and does not claim that no other process draws the same."));

    private Subjects() {}

    private static Subject ours(String coordinator, Coordinator server, String key, String prefix) {
        return new Subject(
                "ours-" + coordinator,
                "ours on "
                        + (server == Coordinator.ETCD ? "etcd" : server == Coordinator.REDIS ? "Redis" : "ZooKeeper"),
                "ours",
                "org.snowflakeid.compare.ours.Ours",
                server,
                (port, number, unique) -> Map.of(
                        "snowflake.coordinator",
                        coordinator,
                        key,
                        prefix + port,
                        "snowflake.window",
                        LEASE,
                        "snowflake.worker-ids",
                        "0-3"),
                CLASSIC,
                OUR_SETTINGS,
                OUR_CLAIMS);
    }

    /** @throws IllegalArgumentException if there is none of that name */
    static Subject named(String name) {
        return ALL.stream()
                .filter(subject -> subject.name().equals(name))
                .findFirst()
                .orElseThrow(() -> new IllegalArgumentException("no generator '" + name + "', only "
                        + String.join(", ", ALL.stream().map(Subject::name).toList())));
    }
}
