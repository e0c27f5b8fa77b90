// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.operator;

import java.nio.file.Path;
import java.time.Clock;
import java.time.Instant;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.snowflakeid.operator.audit.Audit;
import org.snowflakeid.operator.audit.AuditJson;
import org.snowflakeid.operator.audit.AuditRefusedException;
import org.snowflakeid.operator.audit.AuditReport;
import org.snowflakeid.operator.audit.AuditText;
import org.snowflakeid.operator.audit.AuditedColumn;
import org.snowflakeid.operator.audit.AuditedDatabase;
import org.snowflakeid.operator.audit.IdLayout;
import org.snowflakeid.operator.audit.IdReader;
import org.snowflakeid.operator.audit.Progress;
import picocli.CommandLine.Command;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.Option;
import picocli.CommandLine.TypeConversionException;

@Command(
        name = "audit",
        mixinStandardHelpOptions = true,
        description =
                "Reads the ids of a table, ours or another generator's, and says what is wrong with them: duplicates, ids"
                        + " ahead of now, worker ids that two processes seem to share, and more. It only reads, by small"
                        + " statements one after another.")
final class AuditCommand implements Callable<Integer> {

    /** Where an index makes it cheap, and where each statement reads the whole table. */
    private static final int CHUNK = 10_000;

    private static final int CHUNK_WITHOUT_INDEX = 500_000;
    private static final int MOST = 1_000_000;
    private static final int STOP_SECONDS = 3;

    private final Dialogue dialogue;

    @Option(
            names = "--url",
            required = true,
            paramLabel = "URL",
            description = "The database: jdbc:postgresql://db-1/shop.")
    private String url = "";

    @Option(names = "--user", paramLabel = "NAME", description = "Its user, who needs no right but to read the table.")
    private @Nullable String user;

    @Option(
            names = "--password-file",
            paramLabel = "FILE",
            description = "The user's password. /dev/stdin takes it from a pipe.")
    private @Nullable Path passwordFile;

    @Option(
            names = "--table",
            required = true,
            paramLabel = "NAME",
            description = "The table, with its schema if there are several: shop.orders.")
    private String table = "";

    @Option(
            names = "--column",
            defaultValue = "id",
            paramLabel = "NAME",
            description = "The column of the ids: whole numbers, or decimal text (id).")
    private String column = "";

    @Option(
            names = "--layout",
            paramLabel = "LAYOUT",
            converter = LayoutConverter.class,
            description =
                    "How to read the bits of the ids, by the generator that made them: snowflake (ours, if none is"
                            + " named), twitter, leaf, hutool, tsid, cosid, uid-generator, yitter, seata; or"
                            + " EPOCH,WORKER_ID_BITS,SEQUENCE_BITS[,UNIT]: 2020-01-01T00:00:00Z,10,12.")
    private @Nullable IdLayout layout;

    @Option(
            names = "--chunk",
            paramLabel = "IDS",
            description = "How many ids a statement reads, 1 to 1000000 (10000; 500000 where no index helps).")
    private @Nullable Integer chunk;

    @Option(names = "--json", description = "For programs: one line of JSON. Ids are strings.")
    private boolean json;

    AuditCommand(Dialogue dialogue) {
        this.dialogue = dialogue;
    }

    /** So that a layout that can't be is an argument that can't be. */
    static final class LayoutConverter implements ITypeConverter<IdLayout> {
        @Override
        public IdLayout convert(String value) {
            try {
                return IdLayout.parse(value);
            } catch (IllegalArgumentException e) {
                throw new TypeConversionException(String.valueOf(e.getMessage()));
            }
        }
    }

    @Override
    public Integer call() {
        if (chunk != null && (chunk < 1 || chunk > MOST)) {
            throw GivenSettings.invalid("--chunk=" + chunk + " is not between 1 and " + MOST + " ids.");
        }
        AuditedDatabase database = new AuditedDatabase(url, user, passwordFile);
        database.exposed().ifPresent(dialogue::complain);
        try (IdReader reader = new IdReader(database, dialogue::complain)) {
            CountDownLatch ended = new CountDownLatch(1);
            OnSignal onCtrlC = new OnSignal(() -> stop(reader, ended));
            try {
                AuditReport report = audit(database, reader);
                if (json) {
                    dialogue.say(AuditJson.line(report));
                } else {
                    AuditText.lines(report).forEach(dialogue::say);
                }
                dialogue.requireSaid();
                return report.faults() == 0 ? OperatorCommand.DONE : OperatorCommand.FAILED;
            } catch (AuditRefusedException e) {
                if (!reader.isStopped()) {
                    throw e;
                }
                // Before the latch: the process ends as soon as it is released.
                dialogue.complain(String.valueOf(e.getMessage()));
                return OperatorCommand.FAILED;
            } finally {
                ended.countDown();
                onCtrlC.close();
            }
        }
    }

    private AuditReport audit(AuditedDatabase database, IdReader reader) {
        IdLayout taken = layout == null ? IdLayout.parse("snowflake") : layout;
        AuditedColumn found = reader.find(table, column);
        int ids = chunk != null ? chunk : found.indexed() ? CHUNK : CHUNK_WITHOUT_INDEX;
        Audit audit = new Audit(found, taken, Clock.systemUTC());
        Progress progress = new Progress(found.aboutRows(), dialogue::complain);
        long rowsWithoutId = reader.rowsWithoutId(found);
        reader.read(found, ids, (id, rows) -> {
            audit.see(id, rows);
            progress.see(id, rows);
        });
        return new AuditReport(
                database.place(), found, taken, layout != null, Instant.now(), rowsWithoutId, ids, audit);
    }

    /** The server gives up the statement, and the process ends when that was said. */
    private static void stop(IdReader reader, CountDownLatch ended) {
        reader.stop();
        try {
            ended.await(STOP_SECONDS, TimeUnit.SECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
