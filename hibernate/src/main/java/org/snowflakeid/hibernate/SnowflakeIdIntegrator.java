// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.hibernate;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.hibernate.SessionFactory;
import org.hibernate.SessionFactoryObserver;
import org.hibernate.boot.Metadata;
import org.hibernate.boot.spi.BootstrapContext;
import org.hibernate.engine.spi.SessionFactoryImplementor;
import org.hibernate.integrator.spi.Integrator;
import org.hibernate.mapping.Collection;
import org.hibernate.mapping.IndexedCollection;
import org.hibernate.mapping.JoinedSubclass;
import org.hibernate.mapping.PersistentClass;
import org.hibernate.service.spi.SessionFactoryServiceRegistry;
import org.jspecify.annotations.Nullable;

/**
 * Stops the start of Hibernate if it would pass over a {@link SnowflakeId}; Hibernate finds it by itself, and applications don't need it.
 */
public class SnowflakeIdIntegrator implements Integrator {

    /** For Hibernate. */
    public SnowflakeIdIntegrator() {}

    /** @throws org.snowflakeid.SnowflakeException if an annotation is where it can't be obeyed */
    @Override
    public void integrate(Metadata metadata, BootstrapContext context, SessionFactoryImplementor factory) {
        boolean validated = isValidated(factory.getProperties().get("jakarta.persistence.validation.mode"));
        // Quarkus does not let a jar set it, and an application may have its own.
        boolean checksQueries =
                factory.getSessionFactoryOptions().getCustomSqmTranslatorFactory() instanceof InsertQueryCheck;
        Map<String, List<MarkedColumns.Column>> keys = new HashMap<>();
        Map<String, List<MarkedColumns.Column>> columns = new HashMap<>();
        Map<String, MarkedColumns.Column> unchecked = new HashMap<>();
        for (PersistentClass entity : metadata.getEntityBindings()) {
            if (entity.getMappedClass() != null) {
                List<MarkedColumns.Column> marked = new ArrayList<>();
                List<MarkedColumns.Column> inKey = new ArrayList<>();
                MappedMarks marks = new MappedMarks(entity, validated, inKey::add, marked::add);
                marks.check();
                factory.addObserver(new SessionFactoryObserver() {
                    @Override
                    public void sessionFactoryCreated(SessionFactory created) {
                        marks.checkKey(factory.getMappingMetamodel()
                                .getEntityDescriptor(entity.getEntityName())
                                .getGenerator());
                    }
                });
                keys.put(entity.getEntityName(), inKey);
                columns.put(entity.getEntityName(), marked);
                if (!marked.isEmpty() && !(checksQueries && isInOneTable(entity))) {
                    unchecked.put(entity.getRootClass().getEntityName(), marked.get(0));
                }
            }
        }
        for (Collection collection : metadata.getCollectionBindings()) {
            MappedMarks.refuseIn(collection.getElement(), collection.getRole());
            if (collection instanceof IndexedCollection indexed) {
                MappedMarks.refuseIn(indexed.getIndex(), collection.getRole());
            }
        }
        new MarkedColumns(keys, columns, unchecked).listenTo(factory);
    }

    /** Hibernate shows no other queries. */
    private static boolean isInOneTable(PersistentClass entity) {
        return entity.getJoinClosureSpan() == 0 && !(entity instanceof JoinedSubclass);
    }

    /** Whether entities are checked by Bean Validation before they are inserted; null is what Hibernate does unless it is told. */
    private static boolean isValidated(@Nullable Object mode) {
        String modes = String.valueOf(mode).toLowerCase(Locale.ROOT);
        return !modes.contains("none") && !modes.equals("ddl") && !modes.equals("[ddl]");
    }

    @Override
    public void disintegrate(SessionFactoryImplementor factory, SessionFactoryServiceRegistry registry) {}
}
