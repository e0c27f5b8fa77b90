// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.benchmarks;

import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * CPU per million ids beside drift, both under full load, and beside them, if it was measured, the share of what they want that threads get
 * which do something between their ids. Drawn for light and dark pages.
 */
final class Picture {

    private static final int ROW = 40;
    private static final int BAR = 6;
    private static final int LABELS = 130;
    private static final int PANEL = 300;
    private static final int GAP = 70;

    /** More bars than this don't fit into a row. */
    private static final int MOST_MIXES = 4;

    private static final int LEGEND_LINE = 14;

    /** Those whose ids run ahead get more than there is. */
    private static final double MOST_SHARE = 1.1;

    /** Drift is drawn by its logarithm, from a millisecond on. */
    private static final double MOST_DRIFT_MILLIS = 10_000;

    private final List<Measured> rows;
    private final List<Mix> mixes;
    private final int top;
    private final StringBuilder svg = new StringBuilder();

    Picture(List<Measured> all) {
        rows = all.stream()
                .filter(measured -> !Drift.of(measured.figures()).isEmpty())
                .toList();
        mixes = Between.mixes("", rows).stream().limit(MOST_MIXES).toList();
        top = 64 + Math.max(0, mixes.size() - 1) * LEGEND_LINE;
    }

    String svg() {
        int bottom = top + rows.size() * ROW;
        int drift = LABELS + PANEL + GAP;
        int share = drift + PANEL + GAP;
        int width = mixes.isEmpty() ? share : share + PANEL + GAP;
        add("<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 %d %d' role='img'>", width, bottom + 44);
        add(
                "<title>CPU per million ids and drift from the clock, under full load%s</title>",
                mixes.isEmpty()
                        ? ""
                        : ", and the share of what is wanted by threads that do something between their ids");
        add("<style>text { font: 12px sans-serif; fill: #57606a } .head { font-weight: bold } .end { text-anchor: end }"
                + " .middle { text-anchor: middle } line { stroke: #8c959f; stroke-opacity: .4 } .cpu { fill: #2f81f7 }"
                + " .ahead { fill: #d1602d }"
                + " .share { fill: #2da44e } @media (prefers-color-scheme: dark) { text { fill: #adbac7 } }</style>");
        text("head", LABELS, 18, "CPU seconds per million ids");
        legend();
        text("head", drift, 18, "ms ahead of the clock, at most");
        text("", drift, 36, "logarithmic");
        double most = mostCpu();
        for (double cpu = 0; cpu <= most + 1e-9; cpu += 0.1) {
            axis(LABELS + length(cpu / most), bottom, String.format(Locale.ROOT, "%.1f", cpu));
        }
        axis(drift, bottom, "0");
        for (double millis = 1; millis <= MOST_DRIFT_MILLIS; millis *= 10) {
            axis(drift + driftLength(millis), bottom, String.format(Locale.ROOT, "%,.0f", millis));
        }
        for (int i = 0; i < rows.size(); i++) {
            row(rows.get(i), top + i * ROW, most, drift);
        }
        if (!mixes.isEmpty()) {
            shares(share, bottom);
        }
        if (rows.stream().anyMatch(this::disturbed)) {
            text("", LABELS, bottom + 38, "† others took more than 20 % of the machine");
        }
        add("</svg>");
        return svg.toString();
    }

    /** The axis ends at a tenth. */
    private double mostCpu() {
        double most = rows.stream()
                .flatMap(row -> Saturated.THREADS.stream().map(count -> cpu(row, count)))
                .flatMap(Optional::stream)
                .mapToDouble(Figure::value)
                .max()
                .orElse(0);
        return Math.max(0.1, Math.ceil(most * 10) / 10);
    }

    private static Optional<Figure> cpu(Measured row, int threads) {
        return row.figures().get("saturated-" + threads + ".cpu").filter(cpu -> !Double.isNaN(cpu.value()));
    }

    private void legend() {
        for (int i = 0; i < Saturated.THREADS.size(); i++) {
            int x = LABELS + i * 45;
            add("<rect class='cpu' x='%d' y='27' width='10' height='10' fill-opacity='%.2f'/>", x, shade(i));
            text("", x + 14, 36, Saturated.THREADS.get(i).toString());
        }
        text("", LABELS + Saturated.THREADS.size() * 45 - 8, 36, "threads");
    }

    /** A bar for each mix that was measured. */
    private void shares(int x, int bottom) {
        text("head", x, 18, "share of what is wanted, or of the ceiling");
        for (int m = 0; m < mixes.size(); m++) {
            int y = 27 + m * LEGEND_LINE;
            add("<rect class='share' x='%d' y='%d' width='10' height='10' fill-opacity='%.2f'/>", x, y, shade(m));
            text("", x + 14, y + 9, mixes.get(m).title());
        }
        for (double share : new double[] {0, 0.5, 1}) {
            axis(x + length(share / MOST_SHARE), bottom, String.format(Locale.ROOT, "%.1f", share));
        }
        for (int i = 0; i < rows.size(); i++) {
            shares(rows.get(i), x, top + i * ROW);
        }
    }

    private void shares(Measured row, int x, int y) {
        boolean measured = false;
        for (int m = 0; m < mixes.size(); m++) {
            Optional<Figure> share = Between.share(row, mixes.get(m));
            if (share.isPresent()) {
                double length = length(Math.min(share.get().value(), MOST_SHARE) / MOST_SHARE);
                add(
                        "<rect class='share' x='%d' y='%d' width='%.1f' height='%d' fill-opacity='%.2f'/>",
                        x, y + m * (BAR + 1), length, BAR, shade(m));
                measured = true;
            }
        }
        if (!measured) {
            text("", x + 6, y + 17, "not measured");
        }
    }

    private static double shade(int index) {
        return 0.4 + 0.2 * index;
    }

    private void axis(double x, int bottom, String label) {
        add("<line x1='%.1f' y1='%d' x2='%.1f' y2='%d'/>", x, top - 14, x, bottom);
        text("middle", x, bottom + 18, label);
    }

    private void row(Measured row, int y, double most, int driftX) {
        text("end", LABELS - 10, y + 17, row.subject().name() + (disturbed(row) ? " †" : ""));
        for (int i = 0; i < Saturated.THREADS.size(); i++) {
            Optional<Figure> cpu = cpu(row, Saturated.THREADS.get(i));
            if (cpu.isPresent()) {
                add(
                        "<rect class='cpu' x='%d' y='%d' width='%.1f' height='%d' fill-opacity='%.2f'/>",
                        LABELS, y + i * (BAR + 1), length(cpu.get().value() / most), BAR, shade(i));
            }
        }
        Drift drift = Drift.of(row.figures()).get(0);
        double ahead = driftLength(drift.max());
        add("<rect class='ahead' x='%d' y='%d' width='%.1f' height='%d'/>", driftX, y + 6, ahead, 2 * BAR);
        text("", driftX + ahead + 6, y + 17, said(drift));
    }

    private boolean disturbed(Measured row) {
        return Stream.concat(
                        Saturated.THREADS.stream()
                                .map(count ->
                                        cpu(row, count).map(Figure::disturbed).orElse(true)),
                        mixes.stream().map(mix -> Between.share(row, mix)
                                .map(Figure::disturbed)
                                .orElse(false)))
                .anyMatch(disturbed -> disturbed);
    }

    private static String said(Drift drift) {
        if (drift.max() >= 1) {
            return String.format(Locale.ROOT, "%,.0f", drift.max());
        }
        return drift.end() <= -1_000 ? String.format(Locale.ROOT, "0; %,.1f s behind", -drift.end() / 1_000) : "0";
    }

    private static double length(double share) {
        return share * PANEL;
    }

    /** One millisecond takes a tenth of the axis. */
    private static double driftLength(double millis) {
        if (millis < 1) {
            return 0;
        }
        double decades = Math.log10(MOST_DRIFT_MILLIS);
        return length((Math.min(Math.log10(millis), decades) + 0.5) / (decades + 0.5));
    }

    private void text(String type, double x, int y, String text) {
        add(
                "<text class='%s' x='%.1f' y='%d'>%s</text>",
                type, x, y, text.replace("&", "&amp;").replace("<", "&lt;"));
    }

    @SuppressWarnings("AnnotateFormatMethod") // The annotation is in a library that nothing else here needs.
    private void add(String format, Object... values) {
        svg.append(values.length == 0 ? format : String.format(Locale.ROOT, format, values))
                .append('\n');
    }
}
