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
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.snowflakeid.SnowflakeSettings;
import org.snowflakeid.config.EnvironmentVariable;
import org.snowflakeid.config.Key;
import org.snowflakeid.config.SnowflakeKeys;
import org.snowflakeid.testservers.kubernetes.ApiServer;
import org.yaml.snakeyaml.Yaml;

/** Against the model classes of a Kubernetes client, and against what the library does. */
class KubernetesFilesTest {

    private static final Pattern CALLS_OF_A_CLOSE =
            Pattern.compile("resumeDirectory\\(\\)\\.isPresent\\(\\) \\? (\\d+) : (\\d+);");

    private static final Pattern LONGEST_CALL = Pattern.compile("Duration MOST = Duration\\.ofSeconds\\((\\d+)\\);");

    /** Taken from the code, so that the pages and these files agree with it. */
    private static Duration longestClose(boolean withResumeFolder) throws IOException {
        String timeouts = Pages.text("core/src/main/java/org/snowflakeid/keeper/CallTimeouts.java");
        Matcher calls = CALLS_OF_A_CLOSE.matcher(timeouts);
        Matcher call = LONGEST_CALL.matcher(timeouts);
        assertThat(calls.find() && call.find()).isTrue();
        return Duration.ofSeconds(Long.parseLong(call.group(1)))
                .multipliedBy(Long.parseLong(calls.group(withResumeFolder ? 1 : 2)))
                .plusSeconds(1);
    }

    /** As docs/deployment.md says. */
    private static Duration longestStart(Duration window, Duration startupTimeout) {
        return startupTimeout.plus(window.multipliedBy(2)).plusSeconds(30);
    }

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

        assertThat(kinds)
                .containsExactlyInAnyOrder(
                        "ServiceAccount", "Role", "RoleBinding", "Deployment", "PodDisruptionBudget", "Service");
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
        assertThat(at(kubernetes("PodDisruptionBudget"), "spec", "selector", "matchLabels"))
                .isEqualTo(labels);
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
        Duration window = Duration.parse(DeploymentFiles.settings().get("SNOWFLAKE_WINDOW"));

        assertThat(allowed).isGreaterThanOrEqualTo(longestStart(window, startupTimeout(window)));
    }

    // the advice for many instances led to a refused start: its timeout was shorter than the window allows
    @Test
    void aWindowOfFiveMinutesNeedsNoOtherSettingAndTheProbeThatThePageSays() throws IOException {
        Duration window = Duration.ofMinutes(5);
        Map<String, String> environment = new HashMap<>(DeploymentFiles.settings());
        environment.put("SNOWFLAKE_WINDOW", window.toString());

        SnowflakeSettings settings =
                SnowflakeSettings.of("default", key -> environment.get(EnvironmentVariable.of(key)));

        assertThat(settings.window()).isEqualTo(window);
        long failures =
                longestStart(window, startupTimeout(window)).toSeconds() / number("startupProbe", "periodSeconds");
        assertThat(Pages.text("docs/deployment.md")).contains("`failureThreshold: " + failures + "`");
        assertThat(DeploymentFiles.text("kubernetes/base/deployment.yaml"))
                .contains("for a window of 5 minutes that is " + failures);
        assertThat(Pages.text("docs/coordinator-kubernetes.md")).contains("`snowflake.window=" + window + "`");
    }

    private static Duration startupTimeout(Duration window) {
        assertThat(SnowflakeKeys.core().stream()
                        .filter(key -> key.name().equals("snowflake.startup-timeout"))
                        .map(Key::unset))
                .containsExactly("`PT90S`, or one and a half windows if that is longer");
        Duration derived = window.multipliedBy(3).dividedBy(2);
        Duration least = Duration.ofSeconds(90);
        return derived.compareTo(least) > 0 ? derived : least;
    }

    @Test
    void thePageSaysHowLongAStopTakes() throws IOException {
        long seconds = longestClose(false).toSeconds();

        assertThat(Pages.text("docs/deployment.md"))
                .contains("at most " + seconds + " seconds")
                .contains("a stop takes at most " + longestClose(true).toSeconds() + " seconds");
        assertThat(DeploymentFiles.text("kubernetes/base/deployment.yaml"))
                .contains("takes " + seconds + " at the most");
    }

    @Test
    void aPodThatIsStoppedHasTheTimeToGiveItsWorkerIdBack() throws IOException {
        Duration grace = Duration.ofSeconds(
                (Integer) at(kubernetes("Deployment"), "spec", "template", "spec", "terminationGracePeriodSeconds"));
        Duration before = Duration.ofSeconds((Integer) at(container(), "lifecycle", "preStop", "sleep", "seconds"));

        assertThat(grace).isGreaterThan(before.plus(longestClose(true)));
        for (String file : List.of("etcd.yaml", "postgresql.yaml")) {
            String compose = (String) at(documents("compose/" + file).get(0), "x-application", "stop_grace_period");
            assertThat(Duration.parse("PT" + compose)).isGreaterThan(longestClose(false));
            assertThat(DeploymentFiles.text("compose/" + file))
                    .contains("A stop takes " + longestClose(false).toSeconds() + " seconds at the most");
        }
    }

    // a pod whose secret had the mode that docs/operations.md asks for could not read it: the file is root's
    @Test
    void aSecretThatOnlyItsOwnerMayReadIsReadByThePods() throws IOException {
        String user = DeploymentFiles.text("Containerfile")
                .lines()
                .filter(line -> line.startsWith("USER "))
                .findFirst()
                .orElseThrow()
                .substring(5);

        assertThat(at(kubernetes("Deployment"), "spec", "template", "spec", "securityContext", "fsGroup"))
                .hasToString(user);
        assertThat(Pages.text("docs/operations.md")).contains("`defaultMode: 0400`", "`fsGroup`");
    }

    private static Map<String, Object> container() throws IOException {
        return map(at(kubernetes("Deployment"), "spec", "template", "spec", "containers", 0));
    }

    private static int number(Object... path) throws IOException {
        return (Integer) at(container(), path);
    }
}
