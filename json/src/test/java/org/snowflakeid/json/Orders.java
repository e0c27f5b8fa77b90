// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.json;

import com.fasterxml.jackson.annotation.JsonCreator;
import com.fasterxml.jackson.annotation.JsonIgnore;
import com.fasterxml.jackson.annotation.JsonProperty;
import com.fasterxml.jackson.annotation.JsonValue;
import jakarta.json.bind.annotation.JsonbCreator;
import jakarta.json.bind.annotation.JsonbProperty;
import jakarta.json.bind.annotation.JsonbTypeDeserializer;
import jakarta.json.bind.annotation.JsonbTypeSerializer;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.snowflakeid.SnowflakeFormat;

/** What an application writes: each place that the annotation can stand at. */
public final class Orders {

    private Orders() {}

    public static class WithFields {
        @SnowflakeText
        public long id;

        @SnowflakeText
        public @Nullable Long parent;

        public long quantity;
    }

    public static class WithGetter {
        private long id;

        @SnowflakeText
        public long getId() {
            return id;
        }

        public void setId(long id) {
            this.id = id;
        }
    }

    /** Yasson looks at a creator's parameters for its own annotation alone. */
    public static class WithCreator {
        private final long id;

        @JsonbCreator
        @JsonCreator
        public WithCreator(
                @JsonbProperty("id") @JsonProperty("id") @SnowflakeText @JsonbTypeDeserializer(JsonbText.class)
                        long id) {
            this.id = id;
        }

        @SnowflakeText
        public long getId() {
            return id;
        }
    }

    /** As in {@link WithCreator}. */
    public record AsRecord(
            @SnowflakeText @JsonbTypeDeserializer(JsonbText.class)
            long id,

            @SnowflakeText @JsonbTypeDeserializer(JsonbText.class) @Nullable
            Long parent) {}

    public static class InOtherFormats {
        @SnowflakeText(SnowflakeFormat.CROCKFORD)
        public long crockford;

        @SnowflakeText(SnowflakeFormat.BASE62)
        public @Nullable Long base62;

        @SnowflakeText(SnowflakeFormat.HEX)
        public long hex;
    }

    public static class InOtherFormatsOfJsonB {
        @JsonbTypeSerializer(JsonbText.Crockford.class)
        @JsonbTypeDeserializer(JsonbText.Crockford.class)
        public long crockford;

        @JsonbTypeSerializer(JsonbText.Base62.class)
        @JsonbTypeDeserializer(JsonbText.Base62.class)
        public @Nullable Long base62;

        @JsonbTypeSerializer(JsonbText.Hex.class)
        @JsonbTypeDeserializer(JsonbText.Hex.class)
        public long hex;
    }

    /** The annotation is for ids. */
    public static class WithText {
        @SnowflakeText
        public String ids = "7";
    }

    /** Jackson takes field and getter for one property, and the getter's type for its type. */
    public static class WithOptionalGetter {
        @SnowflakeText
        private final Long id = 7L;

        public Optional<String> getId() {
            return Optional.of(id.toString());
        }
    }

    public static class WithIgnoredGetter {
        @SnowflakeText
        private final Long id = 7L;

        @JsonIgnore
        public Optional<String> getId() {
            return Optional.of(id.toString());
        }
    }

    /** A type of its own for an id. */
    public static class WithValue {
        public OrderId id = new OrderId(7);
    }

    public record OrderId(@JsonValue @SnowflakeText long value) {}

    public static class WithVariable<T> {
        @SnowflakeText
        public @Nullable T id;
    }
}
