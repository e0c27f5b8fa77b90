// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.benchmarks;

import java.util.List;
import java.util.Locale;
import java.util.Optional;

/** CPU per million ids beside drift, both under full load, drawn for light and dark pages. */
final class Picture {

    private static final int ROW = 40;
    private static final int BAR = 6;
    private static final int TOP = 64;
    private static final int LABELS = 130;
    private static final int PANEL = 300;
    private static final int GAP = 70;
    private static final int WIDTH = LABELS + 2 * PANEL + 2 * GAP;

    /** Drift is drawn by its logarithm, from a millisecond on. */
    private static final double MOST_DRIFT_MILLIS = 10_000;

    private final List<Measured> rows;
    private final StringBuilder svg = new StringBuilder();

    Picture(List<Measured> all) {
        rows = all.stream()
                .filter(measured -> !Drift.of(measured.figures()).isEmpty())
                .toList();
    }

    String svg() {
        int bottom = TOP + rows.size() * ROW;
        int drift = LABELS + PANEL + GAP;
        add("<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 %d %d' role='img'>", WIDTH, bottom + 44);
        add("<title>CPU per million ids and drift from the clock, under full load</title>");
        add("<style>text { font: 12px sans-serif; fill: #57606a } .head { font-weight: bold } .end { text-anchor: end }"
                + " .middle { text-anchor: middle } line { stroke: #8c959f; stroke-opacity: .4 } .cpu { fill: #2f81f7 }"
                + " .ahead { fill: #d1602d } @media (prefers-color-scheme: dark) { text { fill: #adbac7 } }</style>");
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
            row(rows.get(i), TOP + i * ROW, most, drift);
        }
        if (rows.stream().anyMatch(Picture::disturbed)) {
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

    private static double shade(int index) {
        return 0.4 + 0.2 * index;
    }

    private void axis(double x, int bottom, String label) {
        add("<line x1='%.1f' y1='%d' x2='%.1f' y2='%d'/>", x, TOP - 14, x, bottom);
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

    private static boolean disturbed(Measured row) {
        return Saturated.THREADS.stream()
                .anyMatch(count -> cpu(row, count).map(Figure::disturbed).orElse(true));
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
