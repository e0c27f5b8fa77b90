// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.verification.jpa;

import jakarta.persistence.CascadeType;
import jakarta.persistence.Embeddable;
import jakarta.persistence.Embedded;
import jakarta.persistence.Entity;
import jakarta.persistence.OneToMany;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.snowflakeid.jpa.SnowflakeId;

/** What it has of its superclass is marked there. */
@Entity
public class PortablePurchase extends PortableRow implements Purchase {

    @SnowflakeId
    private @Nullable Long number;

    @Embedded
    private final Label label = new Label();

    @OneToMany(cascade = CascadeType.ALL)
    private final List<PortableLine> lines = new ArrayList<>();

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
    public @Nullable Long reference() {
        return label.reference;
    }

    @Override
    public void addLine() {
        lines.add(new PortableLine());
    }

    @Override
    public List<Long> lineIds() {
        return lines.stream().map(PortableLine::getId).toList();
    }

    /** A part of it. */
    @Embeddable
    public static class Label {
        @SnowflakeId
        @Nullable
        Long reference;
    }
}
