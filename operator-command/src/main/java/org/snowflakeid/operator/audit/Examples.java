// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.operator.audit;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;

/** The first few ids of those that have a fault: a table may have millions. */
final class Examples {
    private static final int MOST = 5;

    private final List<Long> ids = new ArrayList<>();

    void add(long id) {
        if (ids.size() < MOST) {
            ids.add(id);
        }
    }

    List<Long> ids() {
        return List.copyOf(ids);
    }

    @Override
    public String toString() {
        return ids.stream().map(String::valueOf).collect(Collectors.joining(", "));
    }
}
