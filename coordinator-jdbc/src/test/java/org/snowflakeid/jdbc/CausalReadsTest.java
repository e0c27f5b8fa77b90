// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.jdbc;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.HashMap;
import java.util.Map;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Which clusters of MariaDB and MySQL are refused, by the variables that they show. */
class CausalReadsTest {
    private static final String GROUP = "group_replication_group_name=aaaaaaaa-aaaa-aaaa-aaaa-aaaaaaaaaaaa";

    private static String staleReads(String variables) {
        Map<String, String> values = new HashMap<>();
        for (String each : variables.split(" ", -1)) {
            String[] parts = each.split("=", -1);
            values.put(parts[0], parts[1]);
        }
        return CausalReads.staleReads(values);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "version=10.11",
                "wsrep_on=OFF wsrep_provider=none wsrep_sync_wait=0",
                "wsrep_on=ON wsrep_provider=none wsrep_sync_wait=0",
                "wsrep_on=OFF wsrep_provider=/lib/galera.so global.wsrep_on=OFF wsrep_sync_wait=0",
                "wsrep_on=ON wsrep_provider=/lib/galera.so wsrep_sync_wait=1",
                "wsrep_on=ON wsrep_provider=/lib/galera.so wsrep_sync_wait=7",
                "group_replication_group_name= group_replication_single_primary_mode=ON group_replication_consistency=EVENTUAL",
                GROUP
                        + " group_replication_single_primary_mode=ON group_replication_consistency=BEFORE_ON_PRIMARY_FAILOVER",
                GROUP + " group_replication_single_primary_mode=ON group_replication_consistency=AFTER",
                GROUP + " group_replication_single_primary_mode=ON group_replication_consistency=BEFORE",
                GROUP + " group_replication_single_primary_mode=ON group_replication_consistency=BEFORE_AND_AFTER",
                "group_replication_single_primary_mode=OFF group_replication_consistency=BEFORE",
                "group_replication_single_primary_mode=OFF group_replication_consistency=BEFORE_AND_AFTER"
            })
    void readsWhatWasAcknowledgedLast(String variables) {
        assertThat(staleReads(variables)).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(strings = {"wsrep_sync_wait=0", "wsrep_sync_wait=6"})
    void refusesANodeOfGaleraThatDoesNotWait(String variable) {
        assertThat(staleReads("wsrep_on=ON wsrep_provider=/lib/galera.so " + variable))
                .startsWith("this is a node of a Galera cluster")
                .contains(variable, "sessionVariables=wsrep_sync_wait=1.");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "wsrep_on=OFF global.wsrep_on=ON wsrep_sync_wait=1",
                "wsrep_on=ON wsrep_dirty_reads=ON wsrep_sync_wait=1"
            })
    void refusesASessionOutsideItsCluster(String variables) {
        assertThat(staleReads("wsrep_provider=/lib/galera.so " + variables)).contains("a node of a Galera cluster");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "group_replication_consistency=EVENTUAL",
                "group_replication_consistency=BEFORE_ON_PRIMARY_FAILOVER",
                "group_replication_consistency=AFTER"
            })
    void refusesAGroupOfSeveralPrimariesThatDoesNotWait(String variable) {
        assertThat(staleReads("group_replication_single_primary_mode=OFF " + variable))
                .startsWith(
                        "this is a member of a replication group with several primaries, or is configured to be one,")
                .contains(variable, "sessionVariables=group_replication_consistency='BEFORE'.");
    }

    /** Its next primary would answer before it has applied what the last one acknowledged. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "group_replication_single_primary_mode=ON group_replication_consistency=EVENTUAL",
                "group_replication_single_primary_mode=ON",
                "group_replication_consistency=EVENTUAL"
            })
    void refusesAGroupOfOnePrimaryThatDoesNotWaitAfterAFailover(String variables) {
        assertThat(staleReads(GROUP + " " + variables))
                .startsWith("this is a member of a replication group, or is configured to be one,")
                .contains(
                        "group_replication_consistency=EVENTUAL",
                        "sessionVariables=group_replication_consistency='BEFORE_ON_PRIMARY_FAILOVER'.");
    }
}
