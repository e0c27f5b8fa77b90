// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.redis;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.US_ASCII;
import static java.nio.charset.StandardCharsets.UTF_8;

import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.snowflakeid.spi.RecordStore;
import org.snowflakeid.support.Shared;
import redis.clients.jedis.Protocol.Command;
import redis.clients.jedis.exceptions.JedisDataException;

/**
 * Records as strings of a Redis server, under the keys as they are. A record's version is its bytes, one character each, so that also
 * what is no text is compared exactly.
 */
final class RedisStore implements RecordStore {

    /**
     * Compares bytes. Its only write is the last thing it does: when it fails, nothing was written. Sent as a whole each time, since a server that
     * was started again knows no script by its hash.
     */
    private static final byte[] COMPARE_AND_SET = """
            if redis.call('GET', KEYS[1]) == (ARGV[2] or false) then
                redis.call('SET', KEYS[1], ARGV[1])
                return 1
            end
            return 0
            """.getBytes(US_ASCII);

    private static final byte[] ONE_KEY = {'1'};

    /** Others wait while a command runs, and servers before 7 refuse one of more than a million words. */
    private static final int KEYS_OF_A_COMMAND = 1_024;

    private final RedisSettings settings;
    private final Shared<RedisSettings.Access, SharedRedis>.Loan loan;

    RedisStore(RedisSettings settings) {
        this(settings, SharedRedis.ALL);
    }

    RedisStore(RedisSettings settings, Shared<RedisSettings.Access, SharedRedis> all) {
        this.settings = settings;
        this.loan = all.loan(settings.access());
    }

    @Override
    public Reading read(List<String> keys, Duration timeout) {
        byte[][] names = keys.stream().map(key -> key.getBytes(UTF_8)).toArray(byte[][]::new);
        try {
            return shared().call(settings, settings.callTimeout().of(timeout), true, connection -> {
                connection.sendCommand(Command.TIME);
                int commands = 1;
                for (int from = 0; from < names.length; from += KEYS_OF_A_COMMAND, commands++) {
                    connection.sendCommand(
                            Command.MGET,
                            Arrays.copyOfRange(names, from, Math.min(from + KEYS_OF_A_COMMAND, names.length)));
                }
                List<Object> replies = connection.getMany(commands);
                List<?> values = replies.stream()
                        .skip(1)
                        .flatMap(reply -> elements(reply).stream())
                        .toList();
                return new Reading(entries(keys, values), time(elements(replies.get(0))));
            });
        } catch (RedisFailure e) {
            throw e.exception();
        }
    }

    /** @throws JedisDataException if the server answered with an error */
    private static List<?> elements(Object reply) {
        if (reply instanceof JedisDataException error) {
            throw error;
        }
        return (List<?>) reply;
    }

    private static Instant time(List<?> reply) {
        return Instant.ofEpochSecond(number(reply.get(0))).plus(number(reply.get(1)), ChronoUnit.MICROS);
    }

    private static long number(Object bytes) {
        return Long.parseLong(new String((byte[]) bytes, US_ASCII));
    }

    private static Map<String, Entry> entries(List<String> keys, List<?> values) {
        Map<String, Entry> entries = new HashMap<>();
        for (int i = 0; i < keys.size(); i++) {
            byte[] value = (byte[]) values.get(i);
            if (value != null) {
                entries.put(keys.get(i), new Entry(new String(value, UTF_8), new String(value, ISO_8859_1)));
            }
        }
        return entries;
    }

    @Override
    public Write compareAndSet(String key, @Nullable Entry expected, String next, Duration timeout) {
        byte[] name = key.getBytes(UTF_8);
        byte[] value = next.getBytes(UTF_8);
        byte[][] arguments = expected == null
                ? new byte[][] {COMPARE_AND_SET, ONE_KEY, name, value}
                : new byte[][] {
                    COMPARE_AND_SET, ONE_KEY, name, value, ((String) expected.version()).getBytes(ISO_8859_1)
                };
        try {
            long replaced = shared().call(settings, settings.callTimeout().of(timeout), false, connection -> {
                connection.sendCommand(Command.EVAL, arguments);
                return (Long) connection.getOne();
            });
            return replaced == 1 ? new Write.Applied() : new Write.Rejected();
        } catch (RedisFailure e) {
            return new Write.Unknown(e.ofUnknownOutcome());
        }
    }

    private SharedRedis shared() throws RedisFailure {
        SharedRedis shared = loan.get();
        if (shared == null) {
            throw RedisFailure.closed(settings);
        }
        return shared;
    }

    @Override
    public Object connection() {
        return settings.access();
    }

    @Override
    public void close() {
        loan.close();
    }
}
