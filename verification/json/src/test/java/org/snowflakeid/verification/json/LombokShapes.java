// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.verification.json;

import com.fasterxml.jackson.annotation.JsonProperty;
import java.util.List;
import lombok.Builder;
import lombok.Data;
import lombok.Getter;
import lombok.Singular;
import lombok.Value;
import lombok.experimental.SuperBuilder;
import lombok.extern.jackson.Jacksonized;
import org.snowflakeid.json.SnowflakeText;

/** Classes that Lombok completes. */
final class LombokShapes {

    private LombokShapes() {}

    @Data
    public static class LombokData {
        @SnowflakeText
        private long id;
    }

    @Value
    public static class LombokValue {
        @SnowflakeText
        long id;
    }

    @Value
    @Builder
    @Jacksonized
    public static class LombokBuilder {
        @SnowflakeText
        @JsonProperty("order_id")
        long orderId;

        @SnowflakeText
        @Singular
        List<Long> parts;
    }

    @Builder
    @Jacksonized
    public record LombokRecord(@SnowflakeText long id) {}

    @Getter
    @SuperBuilder
    public abstract static class LombokBase {
        @SnowflakeText
        private final List<Long> ids;
    }

    @Getter
    @SuperBuilder
    @Jacksonized
    public static class LombokSuperBuilder extends LombokBase {
        @SnowflakeText
        private final long id;
    }
}
