// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.verification.jpa;

import jakarta.persistence.CascadeType;
import jakarta.persistence.Column;
import jakarta.persistence.Embeddable;
import jakarta.persistence.Embedded;
import jakarta.persistence.Entity;
import jakarta.persistence.OneToMany;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.snowflakeid.SnowflakeFormat;
import org.snowflakeid.hibernate.SnowflakeId;

/** What it has of its superclass is marked there. */
@Entity
public class HibernatePurchase extends HibernateRow implements Purchase {

    @SnowflakeId
    @Column(nullable = false)
    private @Nullable Long number;

    @SnowflakeId("purchases")
    private @Nullable UUID uuid;

    @Embedded
    private Label label = new Label();

    @OneToMany(cascade = CascadeType.ALL)
    private List<HibernateLine> lines = new ArrayList<>();

    @OneToMany(cascade = CascadeType.ALL)
    private List<HibernateNote> notes = new ArrayList<>();

    @Override
    public @Nullable Long id() {
        return id;
    }

    @Override
    public void preset(Long preset) {
        id = preset;
    }

    @Override
    public @Nullable Long number() {
        return number;
    }

    @Override
    public void presetNumber(Long preset) {
        number = preset;
    }

    @Override
    public @Nullable UUID uuid() {
        return uuid;
    }

    @Override
    public void presetUuid(UUID preset) {
        uuid = preset;
    }

    @Override
    public @Nullable Long reference() {
        return label.reference;
    }

    @Override
    public @Nullable UUID referenceUuid() {
        return label.referenceUuid;
    }

    @Override
    public @Nullable String code() {
        return code;
    }

    @Override
    public void presetCode(String preset) {
        code = preset;
    }

    @Override
    public @Nullable String tag() {
        return label.tag;
    }

    @Override
    public void addLine() {
        lines.add(new HibernateLine());
        notes.add(new HibernateNote());
    }

    @Override
    public List<Long> lineIds() {
        return lines.stream().map(HibernateLine::getId).toList();
    }

    @Override
    public List<@Nullable String> lineCodes() {
        return lines.stream().map(HibernateLine::getCode).toList();
    }

    @Override
    public List<@Nullable String> noteIds() {
        return notes.stream().map(note -> note.id).toList();
    }

    /** A part of it. */
    @Embeddable
    public static class Label {
        @SnowflakeId
        @Nullable
        Long reference;

        @SnowflakeId
        @Nullable
        UUID referenceUuid;

        @SnowflakeId(format = SnowflakeFormat.HEX)
        @Nullable
        String tag;
    }
}
