// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.verification.jpa;

import jakarta.persistence.Access;
import jakarta.persistence.AccessType;
import jakarta.persistence.AttributeConverter;
import jakarta.persistence.AttributeOverride;
import jakarta.persistence.CollectionTable;
import jakarta.persistence.Column;
import jakarta.persistence.Convert;
import jakarta.persistence.Converter;
import jakarta.persistence.DiscriminatorColumn;
import jakarta.persistence.ElementCollection;
import jakarta.persistence.Embeddable;
import jakarta.persistence.Embedded;
import jakarta.persistence.EmbeddedId;
import jakarta.persistence.Entity;
import jakarta.persistence.GeneratedValue;
import jakarta.persistence.GenerationType;
import jakarta.persistence.Id;
import jakarta.persistence.IdClass;
import jakarta.persistence.Inheritance;
import jakarta.persistence.InheritanceType;
import jakarta.persistence.MappedSuperclass;
import jakarta.persistence.SecondaryTable;
import jakarta.persistence.Transient;
import jakarta.validation.Valid;
import jakarta.validation.constraints.NotBlank;
import jakarta.validation.constraints.NotNull;
import java.io.Serializable;
import java.math.BigInteger;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.hibernate.annotations.NaturalId;
import org.jspecify.annotations.Nullable;
import org.snowflakeid.SnowflakeFormat;
import org.snowflakeid.hibernate.SnowflakeId;

/** Where an application may put the annotation of Hibernate. */
public final class HibernateShapes {

    private HibernateShapes() {}

    private static List<@Nullable Object> list(@Nullable Object... ids) {
        return Arrays.asList(ids);
    }

    @Entity
    public static class LongKey implements Shape {
        @Id
        @SnowflakeId
        @Nullable
        Long id;
    }

    @Entity
    public static class PrimitiveKey implements Shape {
        @Id
        @SnowflakeId
        long id;
    }

    @Entity
    public static class TextKeyAndColumn implements Shape {
        @Id
        @SnowflakeId
        @Nullable
        String id;

        @SnowflakeId
        @Nullable
        Long number;
    }

    @Entity
    @Access(AccessType.PROPERTY)
    public static class OnGetters implements Shape {
        private @Nullable Long id;
        private long number;

        @Id
        @SnowflakeId
        public @Nullable Long getId() {
            return id;
        }

        public void setId(@Nullable Long id) {
            this.id = id;
        }

        @SnowflakeId
        public long getNumber() {
            return number;
        }

        public void setNumber(long number) {
            this.number = number;
        }
    }

    @MappedSuperclass
    public abstract static class Row<K> {
        @Id
        @SnowflakeId
        @Nullable
        K id;

        @SnowflakeId
        @Nullable
        Long number;
    }

    @Entity
    public static class InGenericSuperclass extends Row<Long> implements Shape {}

    @Entity
    @Inheritance(strategy = InheritanceType.JOINED)
    @DiscriminatorColumn(length = 99)
    public static class Vehicle {
        @Id
        @SnowflakeId
        @Nullable
        Long id;

        @SnowflakeId
        @Nullable
        Long number;
    }

    @Entity
    public static class InJoinedTables extends Vehicle implements Shape {
        @SnowflakeId
        @Nullable
        Long plate;
    }

    @Entity
    @Inheritance(strategy = InheritanceType.TABLE_PER_CLASS)
    public static class Animal {
        @Id
        @SnowflakeId
        @Nullable
        Long id;
    }

    @Entity
    public static class InATablePerClass extends Animal implements Shape {
        @SnowflakeId
        @Nullable
        Long tag;
    }

    @Entity
    @SecondaryTable(name = "extras")
    public static class InASecondaryTable implements Shape {
        @Id
        @SnowflakeId
        @Nullable
        Long id;

        @Column(table = "extras")
        @SnowflakeId
        @Nullable
        Long number;
    }

    @Embeddable
    public static class Label {
        @SnowflakeId
        @Nullable
        Long reference;
    }

    @Embeddable
    public static class Box {
        @Embedded
        Label label = new Label();

        int weight = 1;
    }

    @Entity
    public static class InAnEmbeddable implements Shape {
        @Id
        @SnowflakeId
        @Nullable
        Long id;

        @Embedded
        Label label = new Label();
    }

    /** There is no part that could have an id. */
    @Entity
    public static class WithoutItsEmbeddable implements Shape {
        @Id
        @SnowflakeId
        @Nullable
        Long id;

        @Embedded
        @Nullable
        Label label;

        @Override
        public List<@Nullable Object> ids() {
            return list(id, label == null || label.reference != null ? "" : null);
        }
    }

    @Entity
    @Shape.Refused({
        "HibernateShapes$Label.reference: it is in an embeddable inside another one, at ",
        "HibernateShapes$InNestedEmbeddables.box.label.reference, where Hibernate makes no ids; move it"
    })
    public static class InNestedEmbeddables implements Shape {
        @Id
        @SnowflakeId
        @Nullable
        Long id;

        @Embedded
        Box box = new Box();
    }

    @Embeddable
    public static class Key implements Serializable {
        private static final long serialVersionUID = 1L;

        int tenant = 1;

        @SnowflakeId
        @Nullable
        Long number;

        @Override
        public boolean equals(@Nullable Object other) {
            return other instanceof Key key && tenant == key.tenant && Objects.equals(number, key.number);
        }

        @Override
        public int hashCode() {
            return Objects.hash(tenant, number);
        }
    }

    @Entity
    public static class InAnEmbeddedId implements Shape {
        @EmbeddedId
        Key key = new Key();
    }

    public static class Pair implements Serializable {
        private static final long serialVersionUID = 1L;

        int tenant;

        @Nullable
        Long number;

        @Override
        public boolean equals(@Nullable Object other) {
            return other instanceof Pair key && tenant == key.tenant && Objects.equals(number, key.number);
        }

        @Override
        public int hashCode() {
            return Objects.hash(tenant, number);
        }
    }

    @Entity
    @IdClass(Pair.class)
    public static class WithAnIdClass implements Shape {
        @Id
        int tenant = 1;

        @Id
        @SnowflakeId
        @Nullable
        Long number;
    }

    @Embeddable
    public record Tag(@SnowflakeId @Nullable Long reference, int color) {}

    @Entity
    @Shape.Refused({"HibernateShapes$Tag.reference: ", "a record can't be set; make a class of the record"})
    public static class InARecord implements Shape {
        @Id
        @SnowflakeId
        @Nullable
        Long id;

        @Embedded
        Tag tag = new Tag(null, 1);
    }

    @Embeddable
    public record Place(@SnowflakeId @Nullable Long number, int tenant) {}

    @Entity
    public static class InARecordAsKey implements Shape {
        @EmbeddedId
        Place place = new Place(null, 1);
    }

    @Entity
    @Shape.Refused({
        "HibernateShapes$Label.reference: it is in an embeddable of the collection ",
        "HibernateShapes$InAList.labels",
        "; make an entity of the embeddable, with @OneToMany, or take the annotation away and set the id yourself."
    })
    public static class InAList implements Shape {
        @Id
        @SnowflakeId
        @Nullable
        Long id;

        @ElementCollection
        List<Label> labels = new ArrayList<>(List.of(new Label()));
    }

    @Entity
    @Shape.Refused({
        "HibernateShapes$Label.reference: it is in an embeddable of the collection ",
        "HibernateShapes$NestedInASet.boxes"
    })
    public static class NestedInASet implements Shape {
        @Id
        @SnowflakeId
        @Nullable
        Long id;

        @ElementCollection
        @CollectionTable(name = "boxes")
        Set<Box> boxes = new HashSet<>(Set.of(new Box()));
    }

    @Entity
    @Shape.Refused({
        "HibernateShapes$Label.reference: it is in an embeddable of the collection ",
        "HibernateShapes$InAMap.labels"
    })
    public static class InAMap implements Shape {
        @Id
        @SnowflakeId
        @Nullable
        Long id;

        @ElementCollection
        Map<String, Label> labels = new HashMap<>(Map.of("one", new Label()));
    }

    @Entity
    @Shape.Refused({
        "HibernateShapes$Label.reference: it is in an embeddable of the collection ",
        "HibernateShapes$InAMapKey.labels"
    })
    public static class InAMapKey implements Shape {
        @Id
        @SnowflakeId
        @Nullable
        Long id;

        @ElementCollection
        Map<Label, String> labels = new HashMap<>(Map.of(new Label(), "one"));
    }

    @Entity
    @Shape.Refused(
            "HibernateShapes$OnACollection.numbers: type java.util.List is not supported; use Long, long, String or UUID.")
    public static class OnACollection implements Shape {
        @Id
        @SnowflakeId
        @Nullable
        Long id;

        @ElementCollection
        @SnowflakeId
        List<Long> numbers = new ArrayList<>();
    }

    @Entity
    @Shape.Refused("HibernateShapes$OnAnInteger.number: type Integer is not supported; use Long, long, String or UUID.")
    public static class OnAnInteger implements Shape {
        @Id
        @SnowflakeId
        @Nullable
        Long id;

        @SnowflakeId
        @Nullable
        Integer number;
    }

    @Entity
    @Shape.Refused(
            "HibernateShapes$OnABigInteger.id: type java.math.BigInteger is not supported; use Long, long, String or UUID.")
    public static class OnABigInteger implements Shape {
        @Id
        @SnowflakeId
        @Nullable
        BigInteger id;
    }

    @Entity
    @Shape.Refused("HibernateShapes$OnBytes.number: type byte[] is not supported; use Long, long, String or UUID.")
    public static class OnBytes implements Shape {
        @Id
        @SnowflakeId
        @Nullable
        Long id;

        @SnowflakeId
        byte @Nullable [] number;
    }

    @Entity
    @Shape.Refused({
        "HibernateShapes$OnFieldAndGetter.",
        " as well; keep the one on the field or on the getter, whichever is mapped."
    })
    public static class OnFieldAndGetter implements Shape {
        @Id
        @SnowflakeId
        @Nullable
        Long id;

        @SnowflakeId
        @Nullable
        Long number;

        @SnowflakeId
        public @Nullable Long getNumber() {
            return number;
        }

        public void setNumber(@Nullable Long number) {
            this.number = number;
        }
    }

    @Entity
    @Shape.Refused(
            "HibernateShapes$OnASetter.setNumber(): it is no getter; put the annotation on the field or on the getter, whichever is mapped.")
    public static class OnASetter implements Shape {
        @Id
        @SnowflakeId
        @Nullable
        Long id;

        @Nullable
        Long number;

        public @Nullable Long getNumber() {
            return number;
        }

        @SnowflakeId
        public void setNumber(@Nullable Long number) {
            this.number = number;
        }
    }

    @Entity
    @Shape.Refused("HibernateShapes$OnAConstant.NUMBER: ")
    public static class OnAConstant implements Shape {
        @SnowflakeId
        static @Nullable Long NUMBER;

        @Id
        @SnowflakeId
        @Nullable
        Long id;
    }

    @Entity
    public static class InTwoEmbeddables implements Shape {
        @Id
        @SnowflakeId
        @Nullable
        Long id;

        @Embedded
        Label first = new Label();

        @Embedded
        @AttributeOverride(name = "reference", column = @Column(name = "other"))
        Label second = new Label();
    }

    @MappedSuperclass
    public abstract static class Sticker {
        @SnowflakeId
        @Nullable
        Long reference;
    }

    @Embeddable
    public static class Emblem extends Sticker {
        int weight = 1;
    }

    @Entity
    public static class InTheSuperclassOfAnEmbeddable implements Shape {
        @Id
        @SnowflakeId
        @Nullable
        Long id;

        @Embedded
        Emblem emblem = new Emblem();
    }

    @Converter
    public static class Hexadecimal implements AttributeConverter<Long, String> {
        @Override
        public @Nullable String convertToDatabaseColumn(@Nullable Long id) {
            return id == null ? null : SnowflakeFormat.HEX.format(id);
        }

        @Override
        public @Nullable Long convertToEntityAttribute(@Nullable String id) {
            return id == null ? null : SnowflakeFormat.HEX.parse(id);
        }
    }

    @Entity
    public static class Converted implements Shape {
        @Id
        @SnowflakeId
        @Nullable
        Long id;

        @Convert(converter = Hexadecimal.class)
        @SnowflakeId
        @Nullable
        Long number;
    }

    @Embeddable
    public static class Outlet implements Serializable {
        private static final long serialVersionUID = 1L;

        @SnowflakeId
        long number;

        @Override
        public boolean equals(@Nullable Object other) {
            return other instanceof Outlet outlet && number == outlet.number;
        }

        @Override
        public int hashCode() {
            return Long.hashCode(number);
        }
    }

    @Embeddable
    public static class Address implements Serializable {
        private static final long serialVersionUID = 1L;

        int tenant = 1;

        @Embedded
        Outlet outlet = new Outlet();

        @Override
        public boolean equals(@Nullable Object other) {
            return other instanceof Address address && tenant == address.tenant && outlet.equals(address.outlet);
        }

        @Override
        public int hashCode() {
            return Objects.hash(tenant, outlet);
        }
    }

    @Entity
    @Shape.Refused({
        "HibernateShapes$Outlet.number: it is in an embeddable inside another one, at ",
        "HibernateShapes$NestedInAnEmbeddedId.address.outlet.number, where Hibernate makes no ids"
    })
    public static class NestedInAnEmbeddedId implements Shape {
        @EmbeddedId
        Address address = new Address();
    }

    @Entity
    public static class WithANaturalId implements Shape {
        @Id
        @SnowflakeId
        @Nullable
        Long id;

        @NaturalId
        @SnowflakeId
        @Nullable
        Long number;

        int quantity = 1;
    }

    @Entity
    @Shape.Refused(
            "HibernateShapes$OnTheGetterOfAMappedField.getNumber(): Hibernate maps the field and does not see it here; move it there.")
    public static class OnTheGetterOfAMappedField implements Shape {
        @Id
        @SnowflakeId
        @Nullable
        Long id;

        @Nullable
        Long number;

        @SnowflakeId
        public @Nullable Long getNumber() {
            return number;
        }

        public void setNumber(@Nullable Long number) {
            this.number = number;
        }
    }

    @Entity
    @Shape.Refused(
            "HibernateShapes$OnATransientField.number: Hibernate stores no attribute of this name; take the annotation away.")
    public static class OnATransientField implements Shape {
        @Id
        @SnowflakeId
        @Nullable
        Long id;

        @Transient
        @SnowflakeId
        @Nullable
        Long number;
    }

    @Entity
    @Shape.Refused(
            "HibernateShapes$WithNotNull.number: @NotNull is checked before Hibernate makes the id, so that each insert would fail; "
                    + "use @Column(nullable = false) instead.")
    @SuppressWarnings("MultipleNullnessAnnotations")
    public static class WithNotNull implements Shape {
        @Id
        @NotNull
        @SnowflakeId
        @Nullable
        Long id;

        @NotNull
        @SnowflakeId
        @Nullable
        Long number;
    }

    @Entity
    @Shape.Refused("HibernateShapes$Sign.text: @NotBlank is checked before Hibernate makes the id")
    public static class WithNotBlankInAValidEmbeddable implements Shape {
        @Id
        @SnowflakeId
        @Nullable
        Long id;

        @Valid
        @Embedded
        Sign sign = new Sign();
    }

    @Embeddable
    public static class Sign {
        @NotBlank
        @SnowflakeId
        @Nullable
        String text;
    }

    public interface Later {}

    @Entity
    @SuppressWarnings("MultipleNullnessAnnotations")
    public static class WithNotNullForAnotherGroup implements Shape {
        @Id
        @SnowflakeId
        @Nullable
        Long id;

        @NotNull(groups = Later.class)
        @SnowflakeId
        @Nullable
        Long number;
    }

    @Entity
    @Shape.Refused(
            "HibernateShapes$InAColumnThatIsNotInserted.number: inserts leave its column out, so that the id would be lost; take insertable = false")
    public static class InAColumnThatIsNotInserted implements Shape {
        @Id
        @SnowflakeId
        @Nullable
        Long id;

        @Column(insertable = false)
        @SnowflakeId
        @Nullable
        Long number;
    }

    @Entity
    @Access(AccessType.PROPERTY)
    public static class OnAGetterOfCapitals implements Shape {
        private @Nullable Long id;
        private @Nullable Long number;

        @Id
        @SnowflakeId
        public @Nullable Long getId() {
            return id;
        }

        public void setId(@Nullable Long id) {
            this.id = id;
        }

        @SnowflakeId
        public @Nullable Long getURL() {
            return number;
        }

        public void setURL(@Nullable Long number) {
            this.number = number;
        }
    }

    @Entity
    public static class WithGeneratedValue implements Shape {
        @Id
        @GeneratedValue(strategy = GenerationType.SEQUENCE)
        @SnowflakeId
        @Nullable
        Long id;

        @Override
        public List<@Nullable Object> ids() {
            // That of a sequence would be 1.
            return list(id == null || id < 1_000_000 ? null : id);
        }
    }
}
