// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.site;

import java.io.IOException;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.StreamSupport;
import org.yaml.snakeyaml.Yaml;

/** The files in examples-deployment. */
final class DeploymentFiles {

    private static final Pattern VARIABLE = Pattern.compile("\\$\\{(\\w+)(?::([-?])([^}]*))?}");

    private DeploymentFiles() {}

    static String text(String name) throws IOException {
        return Pages.text("examples-deployment/" + name);
    }

    /** The documents of a file, each as a map. */
    static List<Map<String, Object>> documents(String name) throws IOException {
        return StreamSupport.stream(new Yaml().loadAll(text(name)).spliterator(), false)
                .map(DeploymentFiles::map)
                .toList();
    }

    /** What a path of names, and of numbers in lists, leads to. */
    static Object at(Object document, Object... path) {
        Object at = document;
        for (Object step : path) {
            at = step instanceof Integer index ? ((List<?>) at).get(index) : map(at).get(step);
            Objects.requireNonNull(at, () -> "nothing at " + step + " of " + List.of(path));
        }
        return at;
    }

    @SuppressWarnings("unchecked") // Every key of these files is text.
    static Map<String, Object> map(Object value) {
        return (Map<String, Object>) value;
    }

    /** The document of that kind. */
    static Map<String, Object> kubernetes(String kind) throws IOException {
        for (String file : resources()) {
            for (Map<String, Object> document : documents("kubernetes/base/" + file)) {
                if (kind.equals(document.get("kind"))) {
                    return document;
                }
            }
        }
        throw new AssertionError("no " + kind);
    }

    static List<String> resources() throws IOException {
        return ((List<?>) at(documents("kubernetes/base/kustomization.yaml").get(0), "resources"))
                .stream().map(String.class::cast).toList();
    }

    /** The settings of the pods. */
    static Map<String, String> settings() throws IOException {
        return text("kubernetes/base/snowflake.env")
                .lines()
                .filter(line -> !line.isBlank() && !line.startsWith("#"))
                .map(line -> line.split("=", 2))
                .collect(Collectors.toMap(pair -> pair[0], pair -> pair[1]));
    }

    /** The environment of a service of a Compose file, with these variables. */
    static Map<String, String> environment(String file, String service, Map<String, String> variables)
            throws IOException {
        Map<String, String> environment = new LinkedHashMap<>();
        map(at(documents("compose/" + file).get(0), "services", service, "environment"))
                .forEach((key, value) -> environment.put(key, filled(String.valueOf(value), variables)));
        return environment;
    }

    /** As Compose does it: {@code ${NAME:-default}} and {@code ${NAME:?message}}. */
    private static String filled(String value, Map<String, String> variables) {
        return VARIABLE.matcher(value)
                .replaceAll(variable -> Matcher.quoteReplacement(Objects.requireNonNull(
                        variables.getOrDefault(
                                variable.group(1), "-".equals(variable.group(2)) ? variable.group(3) : null),
                        variable.group())));
    }
}
