// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.operator;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Map;
import org.junit.jupiter.api.Test;

class RunbookOnEtcdTest extends RunbookContract {

    private static final String PAGE = "coordinator-etcd.md";
    private static final Map<String, String> USER =
            Map.of("snowflake.etcd.user", "app", "snowflake.etcd.password", "hunter2");

    RunbookOnEtcdTest() {
        super("etcd", FragileEtcd::new);
    }

    /** The page creates the users that were lost with the data, so that its operator and the application are the user. */
    @Override
    Site afterALoss(Site site) {
        return new Site(site.server, USER);
    }

    @Test
    void leastPrivilegeAndWhoHoldsWhat() {
        try (Site site = new Site(new FragileEtcd(), Map.of())) {
            site.runOnce();

            assertThat(type(PAGE, "Who holds what", site.shell)).contains("/snowflake/marks/", "until=");
            assertThat(statusOfUser(site)).contains("has no users");
            type(PAGE, "A user with the least rights", site.shell);

            Site withUser = afterALoss(site);
            withUser.runOnce();
            assertThat(withUser.shell.type("snowflake-operator status --settings application.properties"))
                    .contains("record       active");
        }
    }

    /** As after its users were lost with the data. */
    private static String statusOfUser(Site site) {
        return Session.run(
                        "status",
                        "-Dsnowflake.etcd.endpoints=" + site.settings.get("snowflake.etcd.endpoints"),
                        "-Dsnowflake.etcd.user=app",
                        "-Dsnowflake.etcd.password=hunter2")
                .err();
    }

    @Test
    void movesToAnotherCoordinator() {
        try (Site site = new Site();
                FragileZooKeeper zooKeeper = new FragileZooKeeper()) {
            site.runOnce();
            Shell shell = new Site(
                            site.server,
                            Map.of(
                                    "snowflake.zookeeper.connect-string",
                                    zooKeeper.settings().get("snowflake.zookeeper.connect-string")))
                    .shell;
            assertThat(type("restore-and-move.md", "Moving to another coordinator", shell))
                    .contains("Moved. Its ids are dated");
        }
    }
}
