// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.inserts;

import java.util.Locale;

/** The kinds of ids that are compared, ours first. */
enum Kind {
    SNOWFLAKE("`@SnowflakeId Long`", SnowflakeSale.class),
    SNOWFLAKE_UUID("`@SnowflakeId UUID`", SnowflakeUuidSale.class),
    SEQUENCE("`@GeneratedValue(SEQUENCE) Long`, 50 at a time", SequenceSale.class),
    PLAIN_SEQUENCE("`@GeneratedValue(SEQUENCE) Long`, one at a time", PlainSequenceSale.class),
    IDENTITY("`@GeneratedValue(IDENTITY) Long`", IdentitySale.class),
    UUID_7("`@UuidGenerator(VERSION_7) UUID`", UuidSale.class),
    RANDOM_UUID("`@Generated UUID`, by `gen_random_uuid()`", RandomUuidSale.class),
    TSID("`@Tsid Long`", TsidSale.class);

    private final String title;
    private final Class<? extends Sale> entity;

    Kind(String title, Class<? extends Sale> entity) {
        this.title = title;
        this.entity = entity;
    }

    String title() {
        return title;
    }

    Class<? extends Sale> entity() {
        return entity;
    }

    String table() {
        return entity.getSimpleName().toLowerCase(Locale.ROOT);
    }

    Sale sale(int number) {
        Sale sale =
                switch (this) {
                    case SNOWFLAKE -> new SnowflakeSale();
                    case SNOWFLAKE_UUID -> new SnowflakeUuidSale();
                    case SEQUENCE -> new SequenceSale();
                    case PLAIN_SEQUENCE -> new PlainSequenceSale();
                    case IDENTITY -> new IdentitySale();
                    case UUID_7 -> new UuidSale();
                    case RANDOM_UUID -> new RandomUuidSale();
                    case TSID -> new TsidSale();
                };
        return sale.of(number);
    }
}
