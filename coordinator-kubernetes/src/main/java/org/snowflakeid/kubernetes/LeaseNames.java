// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.kubernetes;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.IntStream;

/**
 * Names and labels of {@code Lease} objects. Kubernetes wants lower-case letters and digits, {@code -} between two of them and {@code .}
 * between parts; so {@code snowflake/orders/marks/17} is named {@code snowflake.orders.marks.17}, and whatever is not allowed there, the
 * letter {@code z} included, is written as {@code z} and two hexadecimal digits. No two keys have the same name.
 */
final class LeaseNames {
    static final String MANAGED_BY = "app.kubernetes.io/managed-by";
    static final String NAMESPACE = "snowflakeid.org/namespace";
    static final String WORKER_ID = "snowflakeid.org/worker-id";

    private static final int LONGEST_NAME = 253;
    private static final int LONGEST_LABEL = 63;
    private static final Pattern KEY = Pattern.compile("(.*)/(?:meta|marks/(\\d+))");

    private LeaseNames() {}

    static String name(String key) {
        StringBuilder name = new StringBuilder();
        for (int i = 0; i < key.length(); i++) {
            char c = key.charAt(i);
            boolean inside = i > 0 && i + 1 < key.length() && key.charAt(i - 1) != '/' && key.charAt(i + 1) != '/';
            if (c == '/') {
                name.append('.');
            } else if ((c >= 'a' && c <= 'y') || (c >= '0' && c <= '9') || (c == '-' && inside)) {
                name.append(c);
            } else {
                name.append('z').append(HexFormat.of().toHexDigits((byte) c));
            }
        }
        // No other name begins so: what follows a z is a hexadecimal digit.
        return name.length() <= LONGEST_NAME ? name.toString() : "zz" + digest(key);
    }

    private static String digest(String text) {
        try {
            MessageDigest digest = MessageDigest.getInstance("SHA-256");
            return HexFormat.of().formatHex(digest.digest(text.getBytes(StandardCharsets.UTF_8)));
        } catch (NoSuchAlgorithmException everyJvmHasIt) {
            throw new IllegalStateException(everyJvmHasIt);
        }
    }

    /** By which people select them, and pages are read. Those of two namespaces may be the same. */
    static Map<String, String> labels(String key) {
        Map<String, String> labels = new LinkedHashMap<>();
        labels.put(MANAGED_BY, "snowflake-id");
        Matcher parts = KEY.matcher(key);
        if (parts.matches()) {
            labels.put(NAMESPACE, label(parts.group(1)));
            if (parts.group(2) != null) {
                labels.put(WORKER_ID, parts.group(2));
            }
        }
        return labels;
    }

    /** Whether these are the marks of worker id 0 and those that follow, as of a whole namespace, which may be a small one. */
    static boolean areTheFirst(List<String> keys) {
        return IntStream.range(0, keys.size()).allMatch(id -> keys.get(id).endsWith("/marks/" + id));
    }

    /** Whether their worker ids follow each other. */
    static boolean areNeighbours(List<String> keys) {
        String first = labels(keys.get(0)).get(WORKER_ID);
        return first != null
                && IntStream.range(0, keys.size())
                        .allMatch(i -> keys.get(i).endsWith("/marks/" + (Integer.parseInt(first) + i)));
    }

    private static String label(String namespace) {
        String label = namespace.replace('/', '.');
        if (label.length() > LONGEST_LABEL) {
            label = label.substring(0, LONGEST_LABEL - 9) + "-"
                    + digest(namespace).substring(0, 8);
        }
        return label.replaceFirst("[^A-Za-z0-9]+$", "");
    }
}
