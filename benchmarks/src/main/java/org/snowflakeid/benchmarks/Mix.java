// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.benchmarks;

import java.util.List;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/** Threads that take so many ids, then pause, again and again: {@code virtual:1000:5:yield:12}. */
record Mix(Crowd crowd, int ids, Pause pause) {

    private static final String ALL = "all";
    private static final Pattern FORM =
            Pattern.compile("(platform|virtual):([1-9]\\d{0,4}):([1-9]\\d{0,3}):(nothing|yield|park|spin):([1-9]\\d?)");

    /** What {@code all} stands for, part by part. */
    private static final List<List<String>> PARTS = List.of(
            List.of("platform", "virtual"),
            List.of("8", "64", "1000", "10000"),
            List.of("1", "5", "20"),
            List.of("yield", "park", "spin"),
            List.of("12", "10", "8"));

    /** Most of them make a convoy of a queue that hands over in order. */
    static final List<Mix> CHOSEN = Stream.of(
                    "platform:64:20:park:12",
                    "virtual:1000:5:yield:12",
                    "virtual:1000:5:park:12",
                    "platform:8:1:spin:12",
                    "platform:64:20:park:10")
            .map(Mix::parse)
            .toList();

    static final List<Mix> CHOSEN_BUSY = CHOSEN.subList(0, 2);

    static Mix parse(String text) {
        Matcher parts = FORM.matcher(text);
        if (!parts.matches() || Integer.parseInt(parts.group(5)) > Subject.SEQUENCE_BITS) {
            throw new IllegalArgumentException("'" + text + "' is not like virtual:1000:5:yield:12");
        }
        return new Mix(
                new Crowd(
                        Integer.parseInt(parts.group(2)),
                        parts.group(1).equals("virtual"),
                        Integer.parseInt(parts.group(5))),
                Integer.parseInt(parts.group(3)),
                Pause.valueOf(parts.group(4).toUpperCase(Locale.ROOT)));
    }

    /** Each part may be {@code all}; {@code all} by itself is everything. */
    static List<Mix> parseAll(String text) {
        Stream<String> begun = Stream.of("");
        String[] parts = (text.equals(ALL) ? "all:all:all:all:all" : text).split(":", -1);
        for (int i = 0; i < parts.length; i++) {
            List<String> choice = parts[i].equals(ALL) && i < PARTS.size() ? PARTS.get(i) : List.of(parts[i]);
            String colon = i == 0 ? "" : ":";
            begun = begun.flatMap(before -> choice.stream().map(part -> before + colon + part));
        }
        return begun.map(Mix::parse).toList();
    }

    boolean runsHere() {
        return !crowd.virtual() || Runtime.version().feature() >= 21;
    }

    double idsPerSecond() {
        return crowd.idsPerMilli() * 1_000;
    }

    /** For a table. */
    String title() {
        return String.format(
                Locale.ROOT,
                "%,d %s: %d %s, %s%s",
                crowd.threads(),
                crowd.virtual() ? "virtual" : "platform",
                ids,
                ids == 1 ? "id" : "ids",
                pause,
                crowd.sequenceBits() == Subject.SEQUENCE_BITS ? "" : ", " + crowd.sequenceBits() + " bits");
    }

    @Override
    public String toString() {
        return String.join(
                ":",
                crowd.virtual() ? "virtual" : "platform",
                Integer.toString(crowd.threads()),
                Integer.toString(ids),
                pause.toString(),
                Integer.toString(crowd.sequenceBits()));
    }
}
