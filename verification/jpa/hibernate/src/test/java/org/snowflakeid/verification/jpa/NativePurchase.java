// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.verification.jpa;

import jakarta.persistence.CascadeType;
import jakarta.persistence.Embeddable;
import jakarta.persistence.Embedded;
import jakarta.persistence.Entity;
import jakarta.persistence.OneToMany;
import java.util.ArrayList;
import java.util.List;
import org.snowflakeid.SnowflakeFormat;
import org.snowflakeid.hibernate.SnowflakeId;

/** What it has of its superclass is marked there. */
@Entity
class NativePurchase extends NativeRow implements Purchase {

    @SnowflakeId
    private Long number;

    @Embedded
    private final Label label = new Label();

    @OneToMany(cascade = CascadeType.ALL)
    private final List<NativeLine> lines = new ArrayList<>();

    @OneToMany(cascade = CascadeType.ALL)
    private final List<NativeNote> notes = new ArrayList<>();

    @Override
    public Long id() {
        return id;
    }

    @Override
    public void preset(Long preset) {
        id = preset;
    }

    @Override
    public Long number() {
        return number;
    }

    @Override
    public void presetNumber(Long preset) {
        number = preset;
    }

    @Override
    public Long reference() {
        return label.reference;
    }

    @Override
    public String code() {
        return code;
    }

    @Override
    public void presetCode(String preset) {
        code = preset;
    }

    @Override
    public String tag() {
        return label.tag;
    }

    @Override
    public void addLine() {
        lines.add(new NativeLine());
        notes.add(new NativeNote());
    }

    @Override
    public List<Long> lineIds() {
        return lines.stream().map(NativeLine::getId).toList();
    }

    @Override
    public List<String> lineCodes() {
        return lines.stream().map(NativeLine::getCode).toList();
    }

    @Override
    public List<String> noteIds() {
        return notes.stream().map(note -> note.id).toList();
    }

    /** A part of it. */
    @Embeddable
    static class Label {
        @SnowflakeId
        Long reference;

        @SnowflakeId(format = SnowflakeFormat.HEX)
        String tag;
    }
}
