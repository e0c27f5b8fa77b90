// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.records;

import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * A value in the coordinator: one line of {@code key=value} pairs joined by single spaces, readable for operators. Pairs of a
 * newer version survive being read and written again.
 */
public final class RecordLine {

    public static final RecordLine NONE = new RecordLine(new LinkedHashMap<>());

    private final Map<String, String> entries;

    /** @param entries not changed from here on */
    private RecordLine(Map<String, String> entries) {
        this.entries = entries;
    }

    public static RecordLine parse(String line) {
        Map<String, String> entries = new LinkedHashMap<>();
        int begin = 0;
        while (begin <= line.length()) {
            int space = line.indexOf(' ', begin);
            int end = space < 0 ? line.length() : space;
            int equals = line.indexOf('=', begin);
            if (equals <= begin || equals >= end) {
                throw new IllegalArgumentException("'" + line.substring(begin, end) + "' is no key=value pair");
            }
            entries.put(line.substring(begin, equals), line.substring(equals + 1, end));
            begin = end + 1;
        }
        return new RecordLine(entries);
    }

    public Map<String, String> entries() {
        return Collections.unmodifiableMap(entries);
    }

    public String text(String key) {
        String value = entries.get(key);
        if (value == null) {
            throw new IllegalArgumentException("'" + key + "' is missing");
        }
        return value;
    }

    public long number(String key) {
        return Long.parseLong(text(key));
    }

    public RecordLine with(String key, Object value) {
        Map<String, String> changed = new LinkedHashMap<>(entries);
        changed.put(key, value.toString());
        return new RecordLine(changed);
    }

    RecordLine without(String key) {
        Map<String, String> changed = new LinkedHashMap<>(entries);
        changed.remove(key);
        return new RecordLine(changed);
    }

    @Override
    public String toString() {
        StringBuilder line = new StringBuilder();
        entries.forEach((key, value) ->
                line.append(line.isEmpty() ? "" : " ").append(key).append('=').append(value));
        return line.toString();
    }
}
