// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.source.tree.BlockTree;
import com.sun.source.tree.ClassTree;
import com.sun.source.tree.CompilationUnitTree;
import com.sun.source.tree.IdentifierTree;
import com.sun.source.tree.MemberSelectTree;
import com.sun.source.tree.MethodInvocationTree;
import com.sun.source.tree.Tree;
import com.sun.source.tree.VariableTree;
import com.sun.source.util.JavacTask;
import com.sun.source.util.TreeScanner;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import javax.lang.model.element.Modifier;
import javax.tools.JavaCompiler;
import javax.tools.JavaFileObject;
import javax.tools.SimpleJavaFileObject;
import javax.tools.ToolProvider;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Builds no native image, but checks what the sources of the application's modules show without one. */
class NativeImageTest {

    private static final List<String> MODULES = List.of(
            "core",
            "cdi-extension",
            "coordinator-support",
            "coordinator-file",
            "coordinator-etcd",
            "coordinator-zookeeper",
            "coordinator-redis",
            "coordinator-http",
            "coordinator-kubernetes",
            "coordinator-consul",
            "coordinator-nacos");

    /** Types and methods whose results differ between processes, or do not outlive one. */
    private static final Set<String> OF_ONE_PROCESS = Set.of(
            "Random",
            "SecureRandom",
            "ThreadLocalRandom",
            "SplittableRandom",
            "UUID",
            "Token",
            "random",
            "randomLong",
            "Clock",
            "now",
            "nanoTime",
            "currentTimeMillis",
            "InetAddress",
            "NetworkInterface",
            "ProcessHandle",
            "ManagementFactory",
            "getenv",
            "Config",
            "ConfigProvider",
            "ServiceLoader",
            "Thread",
            "Timer",
            "Executors",
            "ExecutorService",
            "FileChannel",
            "Socket");

    /** Quarkus, for example, initialises classes when it builds an image: all processes would share their values. */
    @Test
    void noClassMakesAnythingOfOneProcessWhenItIsInitialised() throws IOException {
        List<JavaFileObject> sources = new ArrayList<>();
        for (String module : MODULES) {
            try (Stream<Path> files = Files.walk(Path.of("..", module, "src/main/java"))) {
                for (Path file :
                        files.filter(f -> f.toString().endsWith(".java")).toList()) {
                    sources.add(source(file.toUri(), Files.readString(file)));
                }
            }
        }

        assertThat(sources).hasSizeGreaterThan(60);
        assertThat(findings(sources)).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "static final java.util.Random RANDOM = null;",
                "static final long BEGIN = System.nanoTime();",
                "static String host; static { host = java.net.InetAddress.getLocalHost().getHostName(); }",
                "static final String HOME = System.getProperty(\"user.home\");",
                "interface I { String TOKEN = Token.random(null); }",
                "class Nested { static final Object AT = java.time.Instant.now(); }"
            })
    void noticesWhatItLooksFor(String member) throws IOException {
        String text = "class Sample { final long instance = System.nanoTime(); " + member + " }";

        assertThat(findings(List.of(source(URI.create("string:///Sample.java"), text))))
                .hasSize(1);
    }

    private static JavaFileObject source(URI uri, String text) {
        return new SimpleJavaFileObject(uri, JavaFileObject.Kind.SOURCE) {
            @Override
            public CharSequence getCharContent(boolean ignoreEncodingErrors) {
                return text;
            }
        };
    }

    private static List<String> findings(List<JavaFileObject> sources) throws IOException {
        JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
        JavacTask task = (JavacTask) compiler.getTask(null, null, null, List.of("-proc:none"), null, sources);
        List<String> findings = new ArrayList<>();
        for (CompilationUnitTree unit : task.parse()) {
            new StaticInitialisation(unit.getSourceFile().getName(), findings).scan(unit, null);
        }
        return findings;
    }

    /** Looks at static fields, their values, and static blocks; not at methods, which run later. */
    private static final class StaticInitialisation extends TreeScanner<Void, Void> {

        private final String file;
        private final List<String> findings;

        StaticInitialisation(String file, List<String> findings) {
            this.file = file;
            this.findings = findings;
        }

        @Override
        public Void visitClass(ClassTree type, Void nothing) {
            for (Tree member : type.getMembers()) {
                boolean inInterface = type.getKind() == Tree.Kind.INTERFACE;
                if ((member instanceof VariableTree field
                                && (inInterface
                                        || field.getModifiers().getFlags().contains(Modifier.STATIC)))
                        || (member instanceof BlockTree block && block.isStatic())) {
                    lookAt(member);
                }
                if (member instanceof ClassTree) {
                    scan(member, null);
                }
            }
            return null;
        }

        private void lookAt(Tree initialisation) {
            boolean[] found = {false};
            new TreeScanner<Void, Void>() {
                @Override
                public Void visitIdentifier(IdentifierTree name, Void nothing) {
                    found[0] |= OF_ONE_PROCESS.contains(name.getName().toString());
                    return null;
                }

                @Override
                public Void visitMemberSelect(MemberSelectTree name, Void nothing) {
                    found[0] |= OF_ONE_PROCESS.contains(name.getIdentifier().toString());
                    return super.visitMemberSelect(name, null);
                }

                @Override
                public Void visitMethodInvocation(MethodInvocationTree call, Void nothing) {
                    // An image is built for one operating system.
                    String text = call.toString();
                    found[0] |= text.startsWith("System.getProperty(") && !text.contains("\"os.name\"");
                    return super.visitMethodInvocation(call, null);
                }
            }.scan(initialisation, null);
            if (found[0]) {
                findings.add(file + ": " + initialisation);
            }
        }
    }

    /** A class that was renamed would be missing from images without a word. */
    @Test
    void theMetadataNamesClassesAndServicesThatAreThere() throws IOException {
        Pattern named = Pattern.compile("\"(?:name|pattern)\": \"(?:\\\\\\\\Q)?([^\"<]+?)(?:\\\\\\\\E)?\"");
        List<String> names = new ArrayList<>();
        for (String module : MODULES) {
            Path metadata = Path.of("..", module, "src/main/resources/META-INF/native-image");
            if (!Files.isDirectory(metadata)) {
                continue;
            }
            try (Stream<Path> files = Files.walk(metadata)) {
                for (Path file : files.filter(Files::isRegularFile).toList()) {
                    assertThat(file.getParent()).endsWith(Path.of("org.snowflakeid", "snowflake-" + module));
                    named.matcher(Files.readString(file)).results().forEach(match -> {
                        String name = match.group(1);
                        names.add(name);
                        assertThat(
                                        name.startsWith("META-INF/")
                                                ? Path.of("..", module, "src/main/resources", name)
                                                : Path.of(
                                                        "..",
                                                        module,
                                                        "src/main/java",
                                                        name.replaceFirst("\\$.*", "")
                                                                        .replace('.', '/') + ".java"))
                                .isRegularFile();
                    });
                }
            }
        }
        assertThat(names)
                .contains(
                        "META-INF/services/org.snowflakeid.spi.WorkerCoordinatorProvider",
                        "org.snowflakeid.file.FileCoordinatorProvider",
                        "org.snowflakeid.cdi.InjectedSnowflake$Passivated");
    }
}
