// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.verification.jpa;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import jakarta.enterprise.inject.se.SeContainer;
import jakarta.enterprise.inject.se.SeContainerInitializer;
import jakarta.persistence.Entity;
import jakarta.persistence.EntityManagerFactory;
import jakarta.persistence.spi.PersistenceProviderResolverHolder;
import jakarta.persistence.spi.PersistenceUnitInfo;
import java.io.IOException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.UUID;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.snowflakeid.SnowflakeException;

/** Each entity of a class, in a persistence unit of its own: it has all its ids, or it is refused with a reason. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
public abstract class ShapesContract {

    private final Class<?> shapes;
    private final boolean refusedWhenOpened;
    private final Map<String, String> settings;
    private final List<String> mappingFiles;
    private @Nullable SeContainer container;

    /**
     * @param shapes has entities as members
     * @param refusedWhenOpened or else at the first persist
     */
    protected ShapesContract(
            Class<?> shapes, boolean refusedWhenOpened, Map<String, String> settings, String... mappingFiles) {
        this.shapes = shapes;
        this.refusedWhenOpened = refusedWhenOpened;
        this.settings = settings;
        this.mappingFiles = List.of(mappingFiles);
    }

    @BeforeAll
    void start() {
        System.setProperty("snowflake.coordinator", "memory");
        System.setProperty("snowflake.claim-at-start", "default");
        container = SeContainerInitializer.newInstance().initialize();
    }

    @AfterAll
    void stop() {
        System.clearProperty("snowflake.coordinator");
        System.clearProperty("snowflake.claim-at-start");
        if (container != null) {
            container.close();
        }
    }

    Stream<Class<?>> shapes() {
        return Stream.of(shapes.getDeclaredClasses())
                .filter(type -> type.isAnnotationPresent(Entity.class) && Shape.class.isAssignableFrom(type));
    }

    @Test
    public void theTableHasEachShape() throws IOException {
        assertThat(Files.readString(Path.of("../../../docs/evidence/shapes.md")))
                .contains(shapes().map(type -> "`" + type.getSimpleName() + "`").toList());
    }

    @ParameterizedTest
    @MethodSource("shapes")
    public void hasItsIdsOrIsRefusedWithAReason(Class<? extends Shape> type) throws Exception {
        Shape.Refused refused = type.getAnnotation(Shape.Refused.class);
        if (refused == null) {
            try (EntityManagerFactory factory = open(create(type))) {
                EntityContract.transact(factory, entities -> entities.persist(create(type)));
                EntityContract.transact(factory, entities -> assertThat(entities.createQuery(
                                        "select e from "
                                                + factory.getMetamodel()
                                                        .entity(type)
                                                        .getName() + " e",
                                        Shape.class)
                                .getSingleResult()
                                .ids())
                        .isNotEmpty()
                        .doesNotContain(null, 0L)
                        .doesNotHaveDuplicates());
            }
        } else {
            List<EntityManagerFactory> opened = new ArrayList<>();
            Throwable failure = catchThrowable(() -> {
                try (EntityManagerFactory factory = open(create(type))) {
                    opened.add(factory);
                    EntityContract.transact(factory, entities -> entities.persist(create(type)));
                }
            });

            assertThat(causes(failure))
                    .filteredOn(SnowflakeException.class::isInstance)
                    .first()
                    .extracting(Throwable::getMessage)
                    .asString()
                    .contains("snowflake 'default': @SnowflakeId ")
                    .contains(refused.value());
            assertThat(opened.isEmpty()).isEqualTo(refusedWhenOpened);
        }
    }

    private static List<Throwable> causes(@Nullable Throwable failure) {
        return Stream.iterate(failure, cause -> cause != null, Throwable::getCause)
                .map(Throwable.class::cast)
                .toList();
    }

    private static Shape create(Class<? extends Shape> type) {
        try {
            return type.getDeclaredConstructor().newInstance();
        } catch (ReflectiveOperationException e) {
            throw new LinkageError("no new " + type.getName(), e);
        }
    }

    /** With the tables of these entities. */
    protected final EntityManagerFactory open(Shape shape) {
        List<String> classes = new ArrayList<>();
        classes.add(shape.getClass().getName());
        MarkedMembers.parts(shape.getClass()).forEach(part -> classes.add(part.getName()));
        Properties properties = new Properties();
        properties.put("jakarta.persistence.jdbc.url", "jdbc:h2:mem:" + UUID.randomUUID() + ";DB_CLOSE_DELAY=-1");
        properties.put("jakarta.persistence.schema-generation.database.action", "create");
        properties.putAll(settings);
        PersistenceUnitInfo unit = (PersistenceUnitInfo) Proxy.newProxyInstance(
                shapes.getClassLoader(),
                new Class<?>[] {PersistenceUnitInfo.class},
                (proxy, method, arguments) -> valueOf(method, classes, properties));
        EntityManagerFactory factory = PersistenceProviderResolverHolder.getPersistenceProviderResolver()
                .getPersistenceProviders()
                .get(0)
                .createContainerEntityManagerFactory(unit, properties);
        // EclipseLink opens it now only.
        factory.createEntityManager().close();
        return factory;
    }

    // A proxy, because the interface changed between Jakarta Persistence 3.1 and 3.2.
    private @Nullable Object valueOf(Method method, List<String> classes, Properties properties) {
        return switch (method.getName()) {
            case "getPersistenceUnitName" -> "shape-" + UUID.randomUUID();
            case "getManagedClassNames", "getAllManagedClassNames" -> classes;
            case "getMappingFileNames" -> mappingFiles;
            case "getProperties" -> properties;
            case "excludeUnlistedClasses" -> true;
            case "getClassLoader", "getNewTempClassLoader" -> shapes.getClassLoader();
            case "getPersistenceUnitRootUrl" ->
                shapes.getProtectionDomain().getCodeSource().getLocation();
            case "getPersistenceXMLSchemaVersion" -> "3.0";
            case "hashCode" -> System.identityHashCode(this);
            case "equals" -> false;
            case "toString" -> "shape";
            default ->
                method.getReturnType().isEnum()
                        ? enumValue(method.getReturnType())
                        : method.getReturnType() == List.class ? List.of() : null;
        };
    }

    private static @Nullable Object enumValue(Class<?> type) {
        return Stream.of(type.getEnumConstants())
                .filter(value -> List.of("RESOURCE_LOCAL", "AUTO").contains(value.toString()))
                .findFirst()
                .orElse(null);
    }
}
