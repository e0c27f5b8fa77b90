// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.json;

import com.fasterxml.jackson.annotation.JsonAnyGetter;
import com.fasterxml.jackson.annotation.JsonAnySetter;
import com.fasterxml.jackson.annotation.JsonCreator;
import com.fasterxml.jackson.annotation.JsonIdentityInfo;
import com.fasterxml.jackson.annotation.JsonIdentityReference;
import com.fasterxml.jackson.annotation.JsonProperty;
import com.fasterxml.jackson.annotation.JsonTypeInfo;
import com.fasterxml.jackson.annotation.JsonUnwrapped;
import com.fasterxml.jackson.annotation.JsonView;
import com.fasterxml.jackson.annotation.ObjectIdGenerators;
import com.fasterxml.jackson.databind.PropertyNamingStrategies;
import com.fasterxml.jackson.databind.annotation.JsonDeserialize;
import com.fasterxml.jackson.databind.annotation.JsonNaming;
import com.fasterxml.jackson.databind.annotation.JsonPOJOBuilder;
import jakarta.json.bind.annotation.JsonbTypeDeserializer;
import java.math.BigInteger;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;
import org.snowflakeid.SnowflakeFormat;

/** Where an application may put the annotation. */
public final class Shapes {

    private Shapes() {}

    public static class Primitive {
        @SnowflakeText
        public long id;
    }

    public static class Boxed {
        @SnowflakeText
        public @Nullable Long id;
    }

    public static class PrivateFieldWithAccessors {
        @SnowflakeText
        private long id;

        public long getId() {
            return id;
        }

        public void setId(long id) {
            this.id = id;
        }
    }

    public static class OnTheGetter {
        private long id;

        @SnowflakeText
        public long getId() {
            return id;
        }

        public void setId(long id) {
            this.id = id;
        }
    }

    public static class OnFieldAndGetter {
        @SnowflakeText
        private long id;

        @SnowflakeText
        public long getId() {
            return id;
        }

        public void setId(long id) {
            this.id = id;
        }
    }

    public record InARecord(
            @SnowflakeText @JsonbTypeDeserializer(JsonbText.class)
            long id) {}

    public record ListInARecord(
            @SnowflakeText @JsonbTypeDeserializer(JsonbText.class)
            List<Long> ids) {}

    public static class Row<K> {
        @SnowflakeText
        public @Nullable K id;
    }

    public static class OfAGenericSuperclass extends Row<Long> {}

    public static class OfAGenericSuperclassWithAList extends Row<List<Long>> {}

    public interface Identified {
        @SnowflakeText
        long getId();
    }

    public static class OnAnInterface implements Identified {
        private long id;

        @Override
        public long getId() {
            return id;
        }

        public void setId(long id) {
            this.id = id;
        }
    }

    public static class InAList {
        @SnowflakeText
        public @Nullable List<Long> ids;
    }

    public static class InASet {
        @SnowflakeText
        public @Nullable Set<Long> ids;
    }

    public static class InASortedSet {
        @SnowflakeText
        public @Nullable SortedSet<Long> ids;
    }

    public static class InACollection {
        @SnowflakeText
        public @Nullable Collection<Long> ids;
    }

    public static class InAPrimitiveArray {
        @SnowflakeText
        public long @Nullable [] ids;
    }

    public static class InAnArray {
        @SnowflakeText
        public Long @Nullable [] ids;
    }

    public static class InAnOptional {
        @SnowflakeText
        public Optional<Long> id = Optional.empty();
    }

    public static class AsKeys {
        @SnowflakeText
        public @Nullable Map<Long, String> names;
    }

    public static class AsSortedKeys {
        @SnowflakeText
        public @Nullable SortedMap<Long, Primitive> parts;
    }

    public static class AsKeysOfTypedLists {
        @SnowflakeText
        public @Nullable Map<Long, List<Typed>> parts;
    }

    public static class AsKeysOfIdsOfTheirOwn {
        @SnowflakeText
        public @Nullable Map<Long, OrderId> orders;
    }

    public static class AsValues {
        @SnowflakeText
        public @Nullable Map<String, Long> ids;
    }

    public static class AsKeysAndValues {
        @SnowflakeText
        public @Nullable Map<Long, Long> parents;
    }

    public static class InListsOfLists {
        @SnowflakeText
        public @Nullable List<List<Long>> ids;
    }

    public static class InListsOfArrays {
        @SnowflakeText
        public @Nullable List<long[]> ids;
    }

    public static class InAMapOfLists {
        @SnowflakeText
        public @Nullable Map<Long, List<Long>> parts;
    }

    public static class Renamed {
        @JsonProperty("order_id")
        @SnowflakeText
        public long id;
    }

    public static class Unwrapped {
        @JsonUnwrapped
        public Primitive part = new Primitive();
    }

    public static class InAView {
        @JsonView(Object.class)
        @SnowflakeText
        public long id;
    }

    @JsonTypeInfo(use = JsonTypeInfo.Id.CLASS)
    public abstract static class Typed {
        @SnowflakeText
        public long id;
    }

    public static class Subtype extends Typed {}

    public static class WithACreator {
        private final long id;

        @JsonCreator
        public WithACreator(@JsonProperty("id") @SnowflakeText long id) {
            this.id = id;
        }

        public long getId() {
            return id;
        }
    }

    public record OrderId(
            @com.fasterxml.jackson.annotation.JsonValue @SnowflakeText
            long value) {
        @JsonCreator(mode = JsonCreator.Mode.DELEGATING)
        public OrderId {}
    }

    public record HexOrderId(
            @com.fasterxml.jackson.annotation.JsonValue @SnowflakeText(SnowflakeFormat.HEX)
            long value) {
        @JsonCreator(mode = JsonCreator.Mode.DELEGATING)
        public HexOrderId {}
    }

    public static class HexByItsGetter {
        private final long value;

        @JsonCreator(mode = JsonCreator.Mode.DELEGATING)
        public HexByItsGetter(long value) {
            this.value = value;
        }

        @com.fasterxml.jackson.annotation.JsonValue
        @SnowflakeText(SnowflakeFormat.HEX)
        public long value() {
            return value;
        }
    }

    // What Lombok makes of @Builder @Jacksonized.
    @JsonDeserialize(builder = Built.Builder.class)
    @tools.jackson.databind.annotation.JsonDeserialize(builder = Built.Builder.class)
    public static final class Built {
        @SnowflakeText
        private final long id;

        private Built(long id) {
            this.id = id;
        }

        public long getId() {
            return id;
        }

        @JsonPOJOBuilder(withPrefix = "")
        @tools.jackson.databind.annotation.JsonPOJOBuilder(withPrefix = "")
        public static final class Builder {
            private long id;

            public Builder id(long id) {
                this.id = id;
                return this;
            }

            public Built build() {
                return new Built(id);
            }
        }
    }

    @JsonDeserialize(builder = BuiltByMarked.Builder.class)
    @tools.jackson.databind.annotation.JsonDeserialize(builder = BuiltByMarked.Builder.class)
    public static final class BuiltByMarked {
        @SnowflakeText
        private final long id;

        private BuiltByMarked(long id) {
            this.id = id;
        }

        public long getId() {
            return id;
        }

        @JsonPOJOBuilder(withPrefix = "")
        @tools.jackson.databind.annotation.JsonPOJOBuilder(withPrefix = "")
        public static final class Builder {
            private long id;

            @SnowflakeText
            public Builder id(long id) {
                this.id = id;
                return this;
            }

            public BuiltByMarked build() {
                return new BuiltByMarked(id);
            }
        }
    }

    public abstract static class GenericBuilder<T> {
        abstract T make();

        public T build() {
            return make();
        }
    }

    @JsonDeserialize(builder = BuiltByAGenericBuilder.Builder.class)
    @tools.jackson.databind.annotation.JsonDeserialize(builder = BuiltByAGenericBuilder.Builder.class)
    public static final class BuiltByAGenericBuilder {
        @SnowflakeText
        private final long id;

        private BuiltByAGenericBuilder(long id) {
            this.id = id;
        }

        public long getId() {
            return id;
        }

        @JsonPOJOBuilder(withPrefix = "")
        @tools.jackson.databind.annotation.JsonPOJOBuilder(withPrefix = "")
        public static final class Builder extends GenericBuilder<BuiltByAGenericBuilder> {
            private long id;

            public Builder id(long id) {
                this.id = id;
                return this;
            }

            @Override
            BuiltByAGenericBuilder make() {
                return new BuiltByAGenericBuilder(id);
            }
        }
    }

    @JsonNaming(PropertyNamingStrategies.SnakeCaseStrategy.class)
    @JsonDeserialize(builder = BuiltByMarkedAndRenamed.Builder.class)
    @tools.jackson.databind.annotation.JsonNaming(
            tools.jackson.databind.PropertyNamingStrategies.SnakeCaseStrategy.class)
    @tools.jackson.databind.annotation.JsonDeserialize(builder = BuiltByMarkedAndRenamed.Builder.class)
    public static final class BuiltByMarkedAndRenamed {
        @SnowflakeText
        private final long orderId;

        private BuiltByMarkedAndRenamed(long orderId) {
            this.orderId = orderId;
        }

        public long getOrderId() {
            return orderId;
        }

        @JsonNaming(PropertyNamingStrategies.SnakeCaseStrategy.class)
        @JsonPOJOBuilder(withPrefix = "")
        @tools.jackson.databind.annotation.JsonNaming(
                tools.jackson.databind.PropertyNamingStrategies.SnakeCaseStrategy.class)
        @tools.jackson.databind.annotation.JsonPOJOBuilder(withPrefix = "")
        public static final class Builder {
            private long orderId;

            @SnowflakeText
            public Builder orderId(long orderId) {
                this.orderId = orderId;
                return this;
            }

            public BuiltByMarkedAndRenamed build() {
                return new BuiltByMarkedAndRenamed(orderId);
            }
        }
    }

    // What Lombok makes of @SuperBuilder @Jacksonized.
    public abstract static class SuperBuilt {
        @SnowflakeText
        private final List<Long> ids;

        SuperBuilt(Builder<?, ?> builder) {
            ids = builder.ids;
        }

        public List<Long> getIds() {
            return ids;
        }

        public abstract static class Builder<C extends SuperBuilt, B extends Builder<C, B>> {
            private List<Long> ids = List.of();

            protected abstract B self();

            public abstract C build();

            public B ids(List<Long> ids) {
                this.ids = ids;
                return self();
            }
        }
    }

    @JsonDeserialize(builder = SubBuilt.BuilderImpl.class)
    @tools.jackson.databind.annotation.JsonDeserialize(builder = SubBuilt.BuilderImpl.class)
    public static final class SubBuilt extends SuperBuilt {
        @SnowflakeText
        @JsonProperty("order_id")
        private final long orderId;

        private SubBuilt(BuilderImpl builder) {
            super(builder);
            orderId = builder.orderId;
        }

        public long getOrderId() {
            return orderId;
        }

        @JsonPOJOBuilder(withPrefix = "")
        @tools.jackson.databind.annotation.JsonPOJOBuilder(withPrefix = "")
        public static final class BuilderImpl extends Builder<SubBuilt, BuilderImpl> {
            private long orderId;

            @JsonProperty("order_id")
            public BuilderImpl orderId(long orderId) {
                this.orderId = orderId;
                return this;
            }

            @Override
            protected BuilderImpl self() {
                return this;
            }

            @Override
            public SubBuilt build() {
                return new SubBuilt(this);
            }
        }
    }

    @JsonIdentityInfo(generator = ObjectIdGenerators.PropertyGenerator.class, property = "id")
    public static class Referenced {
        @SnowflakeText
        public long id;

        public @Nullable Referenced parent;
    }

    @JsonIdentityInfo(generator = ObjectIdGenerators.PropertyGenerator.class, property = "id")
    public static class ReferencedByAnInheritedId extends Primitive {}

    @JsonIdentityInfo(generator = ObjectIdGenerators.PropertyGenerator.class, property = "id")
    public record ReferencedRecord(@SnowflakeText long id) {}

    public static class ReferencedFromAProperty {
        @JsonIdentityInfo(generator = ObjectIdGenerators.PropertyGenerator.class, property = "id")
        public Primitive parent = new Primitive();
    }

    /** References are all that is ever written of the parent. */
    public static class ReferencedAlways {
        @JsonIdentityReference(alwaysAsId = true)
        public Referenced parent = new Referenced();
    }

    public static class ReferencedAlwaysByAnInheritedId {
        @JsonIdentityReference(alwaysAsId = true)
        public ReferencedByAnInheritedId parent = new ReferencedByAnInheritedId();
    }

    public static class OnAnyProperties {
        private final Map<String, Long> ids = new HashMap<>(Map.of("id", 5L));

        @JsonAnyGetter
        @SnowflakeText
        public Map<String, Long> ids() {
            return ids;
        }

        @JsonAnySetter
        @SnowflakeText
        public void add(String name, Long id) {
            ids.put(name, id);
        }
    }

    public static class OnAMapOfAnyProperties {
        @JsonAnyGetter
        @JsonAnySetter
        @SnowflakeText
        public Map<String, Long> ids = new HashMap<>(Map.of("id", 5L));
    }

    public static class OnTheParameterOfAnAnySetter {
        private final Map<String, Long> ids = new HashMap<>(Map.of("id", 5L));

        @JsonAnyGetter
        public Map<String, Long> ids() {
            return ids;
        }

        @JsonAnySetter
        public void add(String name, @SnowflakeText Long id) {
            ids.put(name, id);
        }
    }

    public static class OnTheParameterOfASetter {
        private long id = 5;

        public long getId() {
            return id;
        }

        public void setId(@SnowflakeText long id) {
            this.id = id;
        }
    }

    @JsonDeserialize(builder = OnTheParameterOfABuilder.Builder.class)
    @tools.jackson.databind.annotation.JsonDeserialize(builder = OnTheParameterOfABuilder.Builder.class)
    public record OnTheParameterOfABuilder(long id) {
        @JsonPOJOBuilder(withPrefix = "")
        @tools.jackson.databind.annotation.JsonPOJOBuilder(withPrefix = "")
        public static final class Builder {
            private long id;

            public Builder id(@SnowflakeText long id) {
                this.id = id;
                return this;
            }

            public OnTheParameterOfABuilder build() {
                return new OnTheParameterOfABuilder(id);
            }
        }
    }

    /** On both, as Lombok puts it if it is told to copy annotations. */
    public static class OnFieldAndParameterOfTheSetter {
        @SnowflakeText
        private long id;

        public long getId() {
            return id;
        }

        public void setId(@SnowflakeText long id) {
            this.id = id;
        }
    }

    public static class DelegatingAlone {
        private final long id;

        @JsonCreator(mode = JsonCreator.Mode.DELEGATING)
        public DelegatingAlone(@SnowflakeText long id) {
            this.id = id;
        }

        long id() {
            return id;
        }
    }

    public static class DelegatingByAMethodAlone {
        private final @Nullable Long id;

        private DelegatingByAMethodAlone(@Nullable Long id) {
            this.id = id;
        }

        @JsonCreator(mode = JsonCreator.Mode.DELEGATING)
        public static DelegatingByAMethodAlone of(@SnowflakeText(SnowflakeFormat.HEX) @Nullable Long id) {
            return new DelegatingByAMethodAlone(id);
        }

        @Nullable
        Long id() {
            return id;
        }
    }

    /** Without the annotation at what is written, that would be a number, which is not read. */
    public record DelegatingBesideAnUnmarkedValue(
            @com.fasterxml.jackson.annotation.JsonValue List<Long> ids) {
        @JsonCreator(mode = JsonCreator.Mode.DELEGATING)
        public static DelegatingBesideAnUnmarkedValue of(@SnowflakeText List<Long> ids) {
            return new DelegatingBesideAnUnmarkedValue(ids);
        }
    }

    public static class DelegatingFromAText {
        public final String id;

        @JsonCreator(mode = JsonCreator.Mode.DELEGATING)
        public DelegatingFromAText(@SnowflakeText String id) {
            this.id = id;
        }
    }

    public static class OnAnInteger {
        @SnowflakeText
        public Integer id = 5;
    }

    public static class OnABigInteger {
        @SnowflakeText
        public BigInteger id = BigInteger.TEN;
    }

    public static class OnAText {
        @SnowflakeText
        public String id = "5";
    }

    public static class OnIntegers {
        @SnowflakeText
        public List<Integer> id = List.of(5);
    }

    public static class OnKeysOfAnotherType {
        @SnowflakeText
        public Map<Integer, String> id = Map.of(5, "five");
    }

    public static class OnAnOptionalLong {
        @SnowflakeText
        public OptionalLong id = OptionalLong.of(5);
    }

    public static class OnAnAtomicLong {
        @SnowflakeText
        public AtomicLong id = new AtomicLong(5);
    }

    public static class OnABean {
        @SnowflakeText
        public Primitive id = new Primitive();
    }
}
