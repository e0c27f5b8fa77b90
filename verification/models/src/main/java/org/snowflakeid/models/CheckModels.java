// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.models;

import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

/** {@code bin/check-models}: runs all models, or those named, and says of each whether it came out as the README says. */
final class CheckModels {

    private static final Duration LIMIT = Duration.ofMinutes(30);

    private CheckModels() {}

    /** @param args folder of this module, then {@code --small} or names of configurations; none: all */
    public static void main(String[] args) throws Exception {
        Path module = Path.of(args[0]);
        List<String> wanted = List.of(args).subList(1, args.length);
        List<Model> models = new ArrayList<>(Model.all(module.resolve("README.md")));
        if (wanted.equals(List.of("--small"))) {
            models.removeIf(model -> !model.small());
        } else if (!wanted.isEmpty()) {
            models.removeIf(model -> !wanted.contains(model.configuration()));
            if (models.size() != wanted.size()) {
                System.err.println(
                        "Not all of these are configurations: " + String.join(" ", wanted)
                                + ". verification/models/README.md lists them. Or: --small for those of bin/test, nothing for all.");
                System.exit(2);
            }
        }
        Tlc tlc = new Tlc(module.resolve("specs"), module.resolve("target/tlc"), LIMIT);
        System.exit(check(models, tlc) ? 0 : 1);
    }

    private static boolean check(List<Model> models, Tlc tlc) throws InterruptedException, ExecutionException {
        ExecutorService threads = Executors.newFixedThreadPool(
                Math.max(1, Math.min(4, Runtime.getRuntime().availableProcessors())));
        int wrong = 0;
        try {
            List<Future<Run>> runs = models.stream()
                    .map(model -> threads.submit(() -> {
                        long start = System.nanoTime();
                        Result seen = tlc.run(model);
                        return new Run(seen, (System.nanoTime() - start) / 1e9);
                    }))
                    .toList();
            for (int i = 0; i < models.size(); i++) {
                Model model = models.get(i);
                Run run = runs.get(i).get();
                boolean right = run.seen.equals(model.expected());
                System.out.printf(
                        "%-5s %-24s %-28s %6.1f s   %s%n",
                        right ? "ok" : "WRONG",
                        model.spec(),
                        model.configuration(),
                        run.seconds,
                        right ? run.seen : run.seen + ", expected: " + model.expected() + ", see " + tlc.output(model));
                wrong += right ? 0 : 1;
            }
        } finally {
            threads.shutdownNow();
        }
        System.out.println(models.size() - wrong + " as expected, " + wrong + " not");
        return wrong == 0 && !models.isEmpty();
    }

    private record Run(Result seen, double seconds) {}
}
