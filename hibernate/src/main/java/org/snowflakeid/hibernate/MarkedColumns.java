// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.hibernate;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.hibernate.engine.spi.SessionFactoryImplementor;
import org.hibernate.event.spi.EventType;
import org.hibernate.event.spi.PreUpsertEvent;
import org.hibernate.event.spi.PreUpsertEventListener;
import org.hibernate.type.CompositeType;
import org.jspecify.annotations.Nullable;
import org.snowflakeid.SnowflakeException;

/**
 * The columns that {@link SnowflakeId} marks. Hibernate asks for no ids for them when it writes an upsert, or, unless they are keys, an insert
 * that is a query: they would be null, and a key of all new rows 0.
 */
final class MarkedColumns implements PreUpsertEventListener {

    /** @param path of the attribute in its entity, such as {@code label.reference} */
    record Column(String path, String generator, boolean primitive) {

        private boolean isMissingIn(@Nullable Object value) {
            return value == null || (primitive && value.equals(0L));
        }
    }

    private final Map<String, List<Column>> keys;
    private final Map<String, List<Column>> ofEntities;
    private final Map<String, Column> unchecked;

    /**
     * @param keys by the names that Hibernate gives entities, with the path in the key
     * @param ofEntities those that are no keys
     * @param unchecked one of each hierarchy whose insert queries Hibernate does not show; by the root's name
     */
    MarkedColumns(Map<String, List<Column>> keys, Map<String, List<Column>> ofEntities, Map<String, Column> unchecked) {
        this.keys = keys;
        this.ofEntities = ofEntities;
        this.unchecked = unchecked;
    }

    /** Those that were {@linkplain #listenTo found} when this factory was made. */
    static MarkedColumns of(SessionFactoryImplementor factory) {
        List<MarkedColumns> found = new ArrayList<>();
        factory.getEventEngine()
                .getListenerRegistry()
                .getEventListenerGroup(EventType.PRE_UPSERT)
                .fireEventOnEachListener(found, (listener, all) -> {
                    if (listener instanceof MarkedColumns columns) {
                        all.add(columns);
                    }
                });
        return found.isEmpty() ? new MarkedColumns(Map.of(), Map.of(), Map.of()) : found.get(0);
    }

    void listenTo(SessionFactoryImplementor factory) {
        factory.getEventEngine().getListenerRegistry().appendListeners(EventType.PRE_UPSERT, this);
    }

    @Override
    public boolean onPreUpsert(PreUpsertEvent event) {
        String entity = event.getPersister().getEntityName();
        for (Column key : keys.getOrDefault(entity, List.of())) {
            refuseMissing(key, inKey(event, key), entity);
        }
        for (Column column : of(entity)) {
            refuseMissing(column, event.getPersister().getPropertyValue(event.getEntity(), column.path()), entity);
        }
        return false;
    }

    private static void refuseMissing(Column column, @Nullable Object value, String entity) {
        if (column.isMissingIn(value)) {
            throw refusal(
                    entity, column, "has no value, and upsert makes no id for it", "Set it before, or use insert.");
        }
    }

    private static @Nullable Object inKey(PreUpsertEvent event, Column key) {
        if (!(event.getPersister().getIdentifierType() instanceof CompositeType parts)) {
            return event.getId();
        }
        String part = key.path().substring(key.path().lastIndexOf('.') + 1);
        return parts.getPropertyValues(event.getId())[parts.getPropertyIndex(part)];
    }

    /**
     * @param targets the attributes that an insert gives values
     * @throws SnowflakeException if that leaves one of these columns null
     */
    void refuseInsertWithout(Set<String> targets, String entity) {
        for (Column column : of(entity)) {
            if (targets.stream()
                    .noneMatch(target ->
                            column.path().equals(target) || column.path().startsWith(target + "."))) {
                throw refusal(
                        entity,
                        column,
                        "gets no value from this insert query, and Hibernate makes ids for keys only there",
                        "Name it in the query, or persist entities.");
            }
        }
    }

    /**
     * For an insert query that Hibernate does not show: it wants a key, and that is all it tells.
     *
     * @throws SnowflakeException if such an insert may leave a column null
     */
    void refuseUncheckedInsert(String root) {
        Column column = unchecked.get(root);
        if (column != null) {
            throw refusal(
                    root,
                    column,
                    "may get no value from this insert query, which can't be checked here",
                    "Persist entities instead.");
        }
    }

    private List<Column> of(String entity) {
        return ofEntities.getOrDefault(entity, List.of());
    }

    private static SnowflakeException refusal(String entity, Column column, String problem, String remedy) {
        return new SnowflakeException("snowflake '" + column.generator() + "': " + entity + "." + column.path()
                + ", marked with @SnowflakeId, " + problem + ". " + remedy);
    }
}
