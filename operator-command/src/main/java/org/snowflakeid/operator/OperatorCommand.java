// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.operator;

import java.util.Map;
import java.util.logging.Level;
import java.util.logging.Logger;
import org.snowflakeid.InvalidSettingsException;
import org.snowflakeid.SnowflakeException;
import org.snowflakeid.administration.NamespaceRefusedException;
import org.snowflakeid.administration.NamespaceUnfinishedException;
import org.snowflakeid.operator.audit.AuditRefusedException;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.ScopeType;

/** {@code snowflake-operator status|serve|check|audit|restore|move}. */
@Command(
        name = "snowflake-operator",
        mixinStandardHelpOptions = true,
        versionProvider = OperatorCommand.Version.class,
        description =
                "Shows, restores and moves namespaces of Snowflake ID, checks their coordinator, and audits the ids of a table.",
        synopsisSubcommandLabel = "status|serve|check|audit|restore|move",
        exitCodeListHeading = "%nExit codes:%n",
        exitCodeList = {
            " 0:done",
            " 1:refused or failed; the namespace is as it was. check: a broken promise; audit: a fault",
            " 2:wrong arguments or settings; nothing was changed",
            " 3:not confirmed; nothing was changed",
            " 4:begun and not finished: run the same again, unless the message says that another operator changed something",
            "130:ended by Ctrl-C, 143: by a signal; restore and move may be begun and not finished: look with status"
        })
public final class OperatorCommand {

    static final int DONE = 0;
    static final int FAILED = 1;
    static final int WRONG_USE = 2;
    static final int NOT_CONFIRMED = 3;
    static final int UNFINISHED = 4;

    /** From the manifest. */
    static final class Version implements CommandLine.IVersionProvider {
        @Override
        public String[] getVersion() {
            String version = OperatorCommand.class.getPackage().getImplementationVersion();
            return new String[] {"snowflake-operator " + (version == null ? "from the source tree" : version)};
        }
    }

    // Held, since java.util.logging forgets the level of a logger without a reference.
    private static final Logger ROOT_LOGGER = Logger.getLogger("");

    @Option(
            names = "--verbose",
            scope = ScopeType.INHERIT,
            description = "Show what the libraries log, on the error output.")
    private boolean verbose;

    private OperatorCommand() {}

    public static void main(String[] args) {
        Dialogue dialogue = Dialogue.onTerminal();
        OperatorCommand command = new OperatorCommand();
        int exitCode = commandLine(command, dialogue, System.getenv())
                .setExecutionStrategy(parsed -> {
                    if (!command.verbose) {
                        ROOT_LOGGER.setLevel(Level.OFF);
                    }
                    return new CommandLine.RunLast().execute(parsed);
                })
                .execute(args);
        System.exit(exitCode);
    }

    /** The same without ending the process. */
    static int run(Dialogue dialogue, Map<String, String> environment, String... args) {
        return commandLine(new OperatorCommand(), dialogue, environment).execute(args);
    }

    private static CommandLine commandLine(
            OperatorCommand command, Dialogue dialogue, Map<String, String> environment) {
        return new CommandLine(command)
                .addSubcommand(new StatusCommand(dialogue, environment))
                .addSubcommand(new ServeCommand(dialogue, environment))
                .addSubcommand(new CheckCommand(dialogue, environment))
                .addSubcommand(new AuditCommand(dialogue))
                .addSubcommand(new RestoreCommand(dialogue, environment))
                .addSubcommand(new MoveCommand(dialogue, environment))
                .setOut(dialogue.out())
                .setErr(dialogue.err())
                .setCaseInsensitiveEnumValuesAllowed(true)
                .setExecutionExceptionHandler((e, line, parsed) -> {
                    if (e instanceof Dialogue.OutputLostException) {
                        dialogue.complain(String.valueOf(e.getMessage()));
                        return FAILED;
                    }
                    if (e instanceof SnowflakeException) {
                        dialogue.complain(withoutGenerator(e));
                        if (e instanceof NamespaceRefusedException refused) {
                            refused.doubts()
                                    .keySet()
                                    .forEach(doubt -> Replacement.refuse(
                                            dialogue, Acceptance.of(doubt, refused.recordsInDoubt())));
                        }
                        return exitCode(e);
                    }
                    throw e;
                });
    }

    /** The generator's name tells an operator nothing here. */
    static String withoutGenerator(Exception e) {
        return String.valueOf(e.getMessage()).replace("snowflake 'default': ", "");
    }

    private static int exitCode(Exception e) {
        if (e instanceof NamespaceUnfinishedException) {
            return UNFINISHED;
        }
        if (e instanceof AuditRefusedException refused) {
            return refused.isWrongUse() ? WRONG_USE : FAILED;
        }
        return e instanceof InvalidSettingsException ? WRONG_USE : FAILED;
    }
}
