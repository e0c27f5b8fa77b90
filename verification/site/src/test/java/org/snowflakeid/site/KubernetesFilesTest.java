// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.site;

import static org.assertj.core.api.Assertions.assertThat;
import static org.snowflakeid.site.DeploymentFiles.at;
import static org.snowflakeid.site.DeploymentFiles.documents;
import static org.snowflakeid.site.DeploymentFiles.kubernetes;
import static org.snowflakeid.site.DeploymentFiles.map;

import io.fabric8.kubernetes.client.utils.KubernetesSerialization;
import java.io.IOException;
import java.lang.reflect.Method;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.snowflakeid.testservers.kubernetes.ApiServer;
import org.yaml.snakeyaml.Yaml;

/** Against the model classes of a Kubernetes client, and against what the library does. */
class KubernetesFilesTest {

    /** As docs/operations.md says: with the default window, and those of core for a longer one. */
    private static final Duration LONGEST_WAIT_AFTER_A_RESTORE = Duration.ofMinutes(2);

    /** Four calls of two seconds, and one second: LeaseKeeper.longestCloseNanos. */
    private static final Duration LONGEST_CLOSE = Duration.ofSeconds(9);

    private static List<String> unknownFields(String yaml) throws ReflectiveOperationException {
        List<String> unknown = new ArrayList<>();
        Object object = new KubernetesSerialization().unmarshal(yaml);
        collectUnknown(object, object.getClass().getSimpleName(), unknown);
        return unknown;
    }

    /** Of fields that it does not know, an object of the model keeps the values apart. */
    private static void collectUnknown(Object object, String path, List<String> unknown)
            throws ReflectiveOperationException {
        if (object instanceof List<?> list) {
            for (int i = 0; i < list.size(); i++) {
                collectUnknown(list.get(i), path + "[" + i + "]", unknown);
            }
        } else if (object != null && object.getClass().getName().startsWith("io.fabric8.kubernetes.api.model.")) {
            for (Method getter : object.getClass().getMethods()) {
                String name = getter.getName();
                if (!name.startsWith("get") || getter.getParameterCount() != 0) {
                    continue;
                }
                Object value = getter.invoke(object);
                if (name.equals("getAdditionalProperties")) {
                    ((Map<?, ?>) value).keySet().forEach(field -> unknown.add(path + "." + field));
                } else {
                    collectUnknown(value, path + "." + name.substring(3), unknown);
                }
            }
        }
    }

    @Test
    void everyFieldIsOneOfKubernetes() throws Exception {
        List<String> kinds = new ArrayList<>();
        for (String file : DeploymentFiles.resources()) {
            for (Map<String, Object> document : documents("kubernetes/base/" + file)) {
                kinds.add((String) document.get("kind"));

                assertThat(unknownFields(new Yaml().dump(document))).isEmpty();
            }
        }

        assertThat(kinds).containsExactlyInAnyOrder("ServiceAccount", "Role", "RoleBinding", "Deployment", "Service");
    }

    @Test
    void aMisspeltFieldIsFound() throws Exception {
        String yaml = new Yaml().dump(kubernetes("Deployment")).replace("periodSeconds", "periodSecond");

        assertThat(unknownFields(yaml)).hasSize(3).allMatch(field -> field.endsWith("Probe.periodSecond"));
    }

    @Test
    void grantsWhatIsUsedToTheServiceAccountOfThePods() throws IOException {
        Map<String, Object> binding = kubernetes("RoleBinding");
        Object account = at(kubernetes("ServiceAccount"), "metadata", "name");

        assertThat(at(kubernetes("Role"), "rules"))
                .isEqualTo(List.of(Map.of(
                        "apiGroups", List.of("coordination.k8s.io"),
                        "resources", List.of("leases"),
                        "verbs", ApiServer.VERBS)));
        assertThat(at(binding, "roleRef", "name")).isEqualTo(at(kubernetes("Role"), "metadata", "name"));
        assertThat(at(binding, "subjects", 0, "name")).isEqualTo(account);
        assertThat(at(binding, "subjects", 0, "namespace"))
                .isEqualTo(at(documents("kubernetes/base/kustomization.yaml").get(0), "namespace"));
        assertThat(at(kubernetes("Deployment"), "spec", "template", "spec", "serviceAccountName"))
                .isEqualTo(account);
    }

    @Test
    void theServiceFindsThePodsAndThePodsTheirSettings() throws IOException {
        Map<String, Object> deployment = kubernetes("Deployment");
        Map<String, Object> kustomization =
                documents("kubernetes/base/kustomization.yaml").get(0);
        Object labels = at(deployment, "spec", "template", "metadata", "labels");

        assertThat(at(kubernetes("Service"), "spec", "selector")).isEqualTo(labels);
        assertThat(at(deployment, "spec", "selector", "matchLabels")).isEqualTo(labels);
        assertThat(at(kubernetes("Service"), "spec", "ports", 0, "targetPort"))
                .isEqualTo(at(container(), "ports", 0, "name"));
        assertThat(at(container(), "envFrom", 0, "configMapRef", "name"))
                .isEqualTo(at(kustomization, "configMapGenerator", 0, "name"));
        assertThat(at(kustomization, "configMapGenerator", 0, "envs")).isEqualTo(List.of("snowflake.env"));
        assertThat(at(container(), "image")).isEqualTo(at(kustomization, "images", 0, "name"));
    }

    @Test
    void productionDiffersInOneSetting() throws IOException {
        Map<String, Object> production =
                documents("kubernetes/production/kustomization.yaml").get(0);
        Map<String, Object> base =
                documents("kubernetes/base/kustomization.yaml").get(0);

        assertThat(at(production, "resources")).isEqualTo(List.of("../base"));
        assertThat(at(production, "namespace")).isEqualTo(at(base, "namespace"));
        assertThat(at(production, "configMapGenerator"))
                .isEqualTo(List.of(Map.of(
                        "name", at(base, "configMapGenerator", 0, "name"),
                        "behavior", "merge",
                        "literals", List.of("SNOWFLAKE_NAMESPACE_CREATION=require"))));
        assertThat(DeploymentFiles.settings()).containsKey("SNOWFLAKE_NAMESPACE_CREATION");
    }

    @Test
    void aPodThatOnlyWaitsForItsWorkerIdIsNotKilled() throws IOException {
        Duration allowed = Duration.ofSeconds(number("startupProbe", "periodSeconds"))
                .multipliedBy(number("startupProbe", "failureThreshold"));
        Duration startupTimeout = Duration.parse(DeploymentFiles.settings().get("SNOWFLAKE_STARTUP_TIMEOUT"));

        assertThat(allowed).isGreaterThan(startupTimeout.plus(LONGEST_WAIT_AFTER_A_RESTORE));
    }

    @Test
    void aPodThatIsStoppedHasTheTimeToGiveItsWorkerIdBack() throws IOException {
        Duration grace = Duration.ofSeconds(
                (Integer) at(kubernetes("Deployment"), "spec", "template", "spec", "terminationGracePeriodSeconds"));
        Duration before = Duration.ofSeconds((Integer) at(container(), "lifecycle", "preStop", "sleep", "seconds"));

        assertThat(grace).isGreaterThan(before.plus(LONGEST_CLOSE));
        for (String file : List.of("etcd.yaml", "postgresql.yaml")) {
            String compose = (String) at(documents("compose/" + file).get(0), "x-application", "stop_grace_period");
            assertThat(Duration.parse("PT" + compose)).isGreaterThan(LONGEST_CLOSE);
        }
    }

    private static Map<String, Object> container() throws IOException {
        return map(at(kubernetes("Deployment"), "spec", "template", "spec", "containers", 0));
    }

    private static int number(Object... path) throws IOException {
        return (Integer) at(container(), path);
    }
}
