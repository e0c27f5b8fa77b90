// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.config;

import java.util.Collection;
import java.util.Comparator;
import java.util.Locale;
import java.util.Optional;

/** Guesses which known name an unknown one was meant to be. */
public final class Spelling {

    /** In letters. A single one is part of too many names. */
    private static final int SHORTEST_PART = 2;

    private Spelling() {}

    /** The nearest, if it is near enough to be what was meant. */
    static Optional<String> near(String name, Collection<String> known) {
        return nearest(name, known)
                .filter(other -> distance(letters(name), letters(other)) <= tolerance(letters(other)));
    }

    /** The nearest of those that begin or end with the name, or the name with them. */
    static Optional<String> partly(String name, Collection<String> known) {
        String own = letters(name);
        return nearest(
                name,
                known.stream()
                        .filter(other -> own.length() >= SHORTEST_PART)
                        .filter(other -> isRimOf(own, letters(other)) || isRimOf(letters(other), own))
                        .toList());
    }

    private static boolean isRimOf(String part, String whole) {
        return whole.startsWith(part) || whole.endsWith(part);
    }

    /** The nearest, however far that is. */
    static Optional<String> nearest(String name, Collection<String> known) {
        return known.stream()
                .min(Comparator.<String>comparingInt(other -> distance(letters(name), letters(other)))
                        .thenComparing(Comparator.naturalOrder()));
    }

    /** Hyphens, dots, underscores and capitals only join words: they don't count as letters. */
    private static String letters(String name) {
        return name.replaceAll("[^A-Za-z0-9]", "").toLowerCase(Locale.ROOT);
    }

    private static int tolerance(String letters) {
        return letters.length() < 6 ? 1 : letters.length() < 12 ? 2 : 3;
    }

    /** Letters added, left out, replaced, and neighbours exchanged. */
    private static int distance(String a, String b) {
        int[][] distance = new int[a.length() + 1][b.length() + 1];
        for (int i = 0; i <= a.length(); i++) {
            for (int j = 0; j <= b.length(); j++) {
                if (i == 0 || j == 0) {
                    distance[i][j] = i + j;
                    continue;
                }
                int replaced = distance[i - 1][j - 1] + (a.charAt(i - 1) == b.charAt(j - 1) ? 0 : 1);
                distance[i][j] = Math.min(replaced, Math.min(distance[i - 1][j], distance[i][j - 1]) + 1);
                if (i > 1 && j > 1 && a.charAt(i - 1) == b.charAt(j - 2) && a.charAt(i - 2) == b.charAt(j - 1)) {
                    distance[i][j] = Math.min(distance[i][j], distance[i - 2][j - 2] + 1);
                }
            }
        }
        return distance[a.length()][b.length()];
    }
}
