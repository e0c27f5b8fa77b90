// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.hibernate;

import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import org.hibernate.boot.registry.StandardServiceRegistryBuilder;
import org.hibernate.cfg.AvailableSettings;
import org.hibernate.engine.spi.LoadQueryInfluencers;
import org.hibernate.query.spi.QueryOptions;
import org.hibernate.query.spi.QueryParameterBindings;
import org.hibernate.query.sqm.internal.DomainParameterXref;
import org.hibernate.query.sqm.sql.SqmTranslator;
import org.hibernate.query.sqm.sql.SqmTranslatorFactory;
import org.hibernate.query.sqm.sql.StandardSqmTranslatorFactory;
import org.hibernate.query.sqm.tree.SqmDmlStatement;
import org.hibernate.query.sqm.tree.domain.SqmPath;
import org.hibernate.query.sqm.tree.insert.SqmInsertStatement;
import org.hibernate.query.sqm.tree.select.SqmSelectStatement;
import org.hibernate.service.spi.ServiceContributor;
import org.hibernate.sql.ast.spi.SqlAstCreationContext;
import org.hibernate.sql.ast.tree.MutationStatement;
import org.hibernate.sql.ast.tree.select.SelectStatement;

/**
 * Refuses an insert that is a query and leaves a column with {@link SnowflakeId} null; Hibernate finds it by itself, and applications don't
 * need it.
 */
public class InsertQueryCheck implements SqmTranslatorFactory, ServiceContributor {

    private final SqmTranslatorFactory standard = new StandardSqmTranslatorFactory();

    /** For Hibernate. */
    public InsertQueryCheck() {}

    /** An application's own setting stays. */
    @Override
    public void contribute(StandardServiceRegistryBuilder builder) {
        Map<String, Object> settings = builder.getSettings();
        settings.putIfAbsent(AvailableSettings.SEMANTIC_QUERY_TRANSLATOR, InsertQueryCheck.class.getName());
    }

    @Override
    public SqmTranslator<SelectStatement> createSelectTranslator(
            SqmSelectStatement<?> query,
            QueryOptions options,
            DomainParameterXref parameters,
            QueryParameterBindings bindings,
            LoadQueryInfluencers influencers,
            SqlAstCreationContext context,
            boolean deduplicateSelectionItems) {
        return ofDialect(context)
                .createSelectTranslator(
                        query, options, parameters, bindings, influencers, context, deduplicateSelectionItems);
    }

    @Override
    public SqmTranslator<? extends MutationStatement> createMutationTranslator(
            SqmDmlStatement<?> query,
            QueryOptions options,
            DomainParameterXref parameters,
            QueryParameterBindings bindings,
            LoadQueryInfluencers influencers,
            SqlAstCreationContext context) {
        if (query instanceof SqmInsertStatement<?> insert) {
            Set<String> targets = insert.getInsertionTargetPaths().stream()
                    .map(InsertQueryCheck::attribute)
                    .collect(Collectors.toSet());
            MarkedColumns.of(context.getSessionFactory())
                    .refuseInsertWithout(targets, insert.getTarget().getModel().getHibernateEntityName());
        }
        return ofDialect(context).createMutationTranslator(query, options, parameters, bindings, influencers, context);
    }

    /** Its path in the entity. */
    private static String attribute(SqmPath<?> target) {
        String name = target.getNavigablePath().getLocalName();
        SqmPath<?> around = target.getLhs();
        return around == null || around.getLhs() == null ? name : attribute(around) + "." + name;
    }

    private SqmTranslatorFactory ofDialect(SqlAstCreationContext context) {
        SqmTranslatorFactory own =
                context.getSessionFactory().getJdbcServices().getDialect().getSqmTranslatorFactory();
        return own == null ? standard : own;
    }
}
