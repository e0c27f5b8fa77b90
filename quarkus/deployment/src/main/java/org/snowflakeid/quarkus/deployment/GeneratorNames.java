// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.quarkus.deployment;

import io.quarkus.arc.deployment.ValidationPhaseBuildItem.ValidationErrorBuildItem;
import io.quarkus.bootstrap.classloading.QuarkusClassLoader;
import io.quarkus.deployment.annotations.BuildProducer;
import io.quarkus.deployment.annotations.BuildStep;
import io.quarkus.deployment.builditem.CombinedIndexBuildItem;
import io.quarkus.deployment.builditem.FeatureBuildItem;
import jakarta.enterprise.inject.spi.DefinitionException;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.jboss.jandex.AnnotationInstance;
import org.jboss.jandex.AnnotationTarget;
import org.jboss.jandex.AnnotationValue;
import org.jboss.jandex.ClassInfo;
import org.jboss.jandex.DotName;
import org.jboss.jandex.IndexView;
import org.jboss.jandex.MethodParameterInfo;
import org.snowflakeid.InvalidSettingsException;
import org.snowflakeid.SnowflakeSettings;
import org.snowflakeid.cdi.GeneratorReference;
import org.snowflakeid.cdi.SnowflakeName;

/** Refuses to build an application that names a generator as none can be named; without it, the application would fail to start. */
class GeneratorNames {

    /** By which Quarkus says at the start that the extension is there. */
    @BuildStep
    FeatureBuildItem feature() {
        return new FeatureBuildItem("snowflake");
    }

    @BuildStep
    void check(CombinedIndexBuildItem indexes, BuildProducer<ValidationErrorBuildItem> errors) {
        IndexView application = indexes.getIndex();
        for (DotName annotation : namingAnnotations(application, indexes.getComputingIndex())) {
            for (AnnotationInstance use : application.getAnnotations(annotation)) {
                AnnotationValue name = use.value();
                // Without a value it names the generator that is its default.
                if (name != null) {
                    problems(name.asString())
                            .forEach(problem -> errors.produce(
                                    new ValidationErrorBuildItem(new DefinitionException(place(use.target())
                                            + " has @" + annotation.withoutPackagePrefix() + "(\"" + name.asString()
                                            + "\"). " + problem))));
                }
            }
        }
    }

    /** The qualifier, and whatever counts as an injection point. {@code all} knows libraries' annotations too. */
    private static Set<DotName> namingAnnotations(IndexView application, IndexView all) {
        Set<DotName> used = new TreeSet<>();
        for (ClassInfo type : application.getKnownClasses()) {
            used.addAll(type.annotationsMap().keySet());
        }
        DotName reference = DotName.createSimple(GeneratorReference.class);
        used.removeIf(annotation -> {
            // Asked first, since Quarkus warns of each one that it can't find: many libraries carry annotations that
            // are not there.
            ClassInfo declaration = QuarkusClassLoader.isClassPresentAtRuntime(annotation.toString())
                    ? all.getClassByName(annotation)
                    : null;
            return declaration == null || !declaration.hasDeclaredAnnotation(reference);
        });
        used.add(DotName.createSimple(SnowflakeName.class));
        return used;
    }

    private static List<String> problems(String name) {
        try {
            SnowflakeSettings unused = SnowflakeSettings.of(name, Map.of());
            return List.of();
        } catch (InvalidSettingsException e) {
            return e.problems();
        }
    }

    private static String place(AnnotationTarget target) {
        return switch (target.kind()) {
            case FIELD ->
                "The field " + target.asField().name() + " of "
                        + target.asField().declaringClass().name();
            case METHOD ->
                "The method " + target.asMethod().name() + " of "
                        + target.asMethod().declaringClass().name();
            case METHOD_PARAMETER -> place(target.asMethodParameter());
            default -> target.toString();
        };
    }

    private static String place(MethodParameterInfo parameter) {
        // Not nameOrDefault(), which Quarkus 3.27 lacks.
        String name = parameter.name() == null ? "arg" + parameter.position() : parameter.name();
        String type = parameter.method().declaringClass().name().toString();
        return "The parameter " + name + " of "
                + (parameter.method().isConstructor()
                        ? "the constructor of " + type
                        : "the method " + parameter.method().name() + " of " + type);
    }
}
