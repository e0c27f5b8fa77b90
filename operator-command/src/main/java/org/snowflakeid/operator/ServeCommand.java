// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.operator;

import java.io.IOException;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

@Command(
        name = "serve",
        mixinStandardHelpOptions = true,
        description =
                "Shows the worker ids of a namespace as a live map, on a page for browsers on this machine. Changes nothing.")
final class ServeCommand implements Callable<Integer> {

    private static final int HIGHEST_PORT = 65_535;

    private final Dialogue dialogue;
    private final Map<String, String> environment;

    @Mixin
    private SettingsOptions options = new SettingsOptions();

    @Option(
            names = "--port",
            paramLabel = "PORT",
            defaultValue = "8085",
            description =
                    "Port on 127.0.0.1, the only address it is served at (${DEFAULT-VALUE}). 0: any that is free.")
    private int port;

    @Spec
    @SuppressWarnings("NullAway.Init") // by picocli
    private CommandSpec spec;

    ServeCommand(Dialogue dialogue, Map<String, String> environment) {
        this.dialogue = dialogue;
        this.environment = environment;
    }

    @Override
    public Integer call() {
        if (port < 0 || port > HIGHEST_PORT) {
            throw new CommandLine.ParameterException(
                    spec.commandLine(), "--port=" + port + " is no port. Give one from 0 to " + HIGHEST_PORT + ".");
        }
        GivenSettings given = options.given(environment);
        try (WatchedNamespace namespace = new WatchedNamespace(() -> new GivenNamespace(given, options.generator()))) {
            GivenSettings.requireAllRead(given);
            given.warnings().forEach(dialogue::complain);
            try (LiveNamespace live = new LiveNamespace(
                            () -> namespace.read(SeenNamespace::once),
                            namespace.namespace().layout(),
                            seen -> ReportText.summary(seen, given));
                    MapServer server = new MapServer(live, port)) {
                dialogue.say("The map is at http://127.0.0.1:" + server.port()
                        + "/ for browsers on this machine. Ctrl-C ends it.");
                new CountDownLatch(1).await();
            } catch (IOException e) {
                dialogue.complain("The map can't be served at 127.0.0.1:" + port + ": " + e.getMessage()
                        + ". If something else uses that port, give another by --port.");
                return OperatorCommand.FAILED;
            } catch (InterruptedException end) {
                Thread.currentThread().interrupt();
            }
        }
        return OperatorCommand.DONE;
    }
}
