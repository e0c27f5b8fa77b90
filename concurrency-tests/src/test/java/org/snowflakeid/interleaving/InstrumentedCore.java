// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.interleaving;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.function.Supplier;
import org.objectweb.asm.ClassReader;
import org.objectweb.asm.ClassVisitor;
import org.objectweb.asm.ClassWriter;
import org.objectweb.asm.FieldVisitor;
import org.objectweb.asm.MethodVisitor;
import org.objectweb.asm.Opcodes;

/**
 * Loads core's own class files with a point of {@link Interleavings} before each access to a volatile field, each call of an
 * atomic or of a shared queue, and a check at each access to a plain field that is not final. Scenarios are loaded beside them.
 */
public final class InstrumentedCore extends ClassLoader {

    private static final String PACKAGE = "org/snowflakeid/";
    private static final String INTERLEAVINGS = PACKAGE + "interleaving/Interleavings";
    private static final Set<String> SHARED_TYPES = Set.of(
            "java/util/concurrent/atomic/AtomicBoolean",
            "java/util/concurrent/atomic/AtomicLongArray",
            "java/util/Queue",
            "java/util/concurrent/ConcurrentLinkedQueue");

    /** Messages for people, hints that may come late, and the correction of a clock that jumps in no scenario: not worth a point. */
    private static final Set<String> NO_POINT = Set.of(
            "Stripe.started",
            "LeaseKeeper.lastError",
            "LeaseKeeper.lastVetNanos",
            "LeaseKeeper.lossHinted",
            "LeaseKeeper.thread",
            "LeaseKeeper.vetRequested",
            "ClockVetting.warning",
            "VettedClock.correctionMillis");

    private final String core;
    private final Path replaced;
    private final Map<String, Integer> fields = new HashMap<>();
    private int points;

    private InstrumentedCore(Path replaced) {
        super(InstrumentedCore.class.getClassLoader());
        this.core = getParent()
                .getResource(PACKAGE + "Snowflake.class")
                .toString()
                .replace(PACKAGE + "Snowflake.class", "");
        this.replaced = replaced;
    }

    /** Core as it was built. */
    public static InstrumentedCore asBuilt() {
        return new InstrumentedCore(null);
    }

    /** Core with other class files in place of its own, where {@code folder} has some. */
    public static InstrumentedCore with(Path folder) {
        return new InstrumentedCore(folder);
    }

    /** How many points there are in the classes loaded so far. */
    public int points() {
        return points;
    }

    /** Scenarios of a class, loaded beside these classes of core. */
    public Supplier<Scenario> scenarios(Class<? extends Scenario> type) {
        try {
            var constructor = loadClass(type.getName()).getDeclaredConstructor();
            constructor.setAccessible(true);
            return () -> {
                try {
                    return (Scenario) constructor.newInstance();
                } catch (ReflectiveOperationException e) {
                    throw new IllegalStateException(e);
                }
            };
        } catch (ReflectiveOperationException e) {
            throw new IllegalStateException(e);
        }
    }

    @Override
    protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
        synchronized (getClassLoadingLock(name)) {
            boolean shared = !name.startsWith("org.snowflakeid.") || name.startsWith("org.snowflakeid.interleaving.");
            Class<?> loaded = findLoadedClass(name);
            if (loaded == null && shared) {
                return super.loadClass(name, resolve);
            }
            if (loaded == null) {
                byte[] bytes = bytes(name.replace('.', '/'));
                if (isCore(name.replace('.', '/'))) {
                    bytes = instrument(bytes);
                }
                loaded = defineClass(name, bytes, 0, bytes.length);
            }
            return loaded;
        }
    }

    private boolean isCore(String name) {
        return getParent().getResource(name + ".class").toString().startsWith(core);
    }

    private byte[] bytes(String name) {
        Path other = replaced == null ? null : replaced.resolve(name + ".class");
        try (InputStream in = other != null && Files.exists(other)
                ? Files.newInputStream(other)
                : getParent().getResourceAsStream(name + ".class")) {
            return in.readAllBytes();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private byte[] instrument(byte[] original) {
        ClassReader reader = new ClassReader(original);
        ClassWriter writer = new ClassWriter(ClassWriter.COMPUTE_MAXS);
        reader.accept(
                new ClassVisitor(Opcodes.ASM9, writer) {
                    @Override
                    public MethodVisitor visitMethod(
                            int access, String name, String descriptor, String signature, String[] exceptions) {
                        MethodVisitor plain = super.visitMethod(access, name, descriptor, signature, exceptions);
                        // What is being made is not shared yet.
                        return name.endsWith("init>") ? plain : new Points(plain);
                    }
                },
                0);
        return writer.toByteArray();
    }

    private final class Points extends MethodVisitor {
        Points(MethodVisitor next) {
            super(Opcodes.ASM9, next);
        }

        @Override
        public void visitFieldInsn(int opcode, String owner, String name, String descriptor) {
            if (owner.startsWith(PACKAGE) && isCore(owner)) {
                int access = access(owner, name);
                String field = simple(owner) + "." + name;
                String verb = opcode == Opcodes.GETFIELD || opcode == Opcodes.GETSTATIC ? "read " : "write ";
                if ((access & Opcodes.ACC_VOLATILE) != 0) {
                    if (!NO_POINT.contains(field)) {
                        call("point", verb + field);
                    }
                } else if ((access & Opcodes.ACC_FINAL) == 0) {
                    call("confined", field);
                }
            }
            super.visitFieldInsn(opcode, owner, name, descriptor);
        }

        @Override
        public void visitMethodInsn(int opcode, String owner, String name, String descriptor, boolean isInterface) {
            if (SHARED_TYPES.contains(owner) && !name.equals("<init>")) {
                call("point", simple(owner) + "." + name);
            }
            super.visitMethodInsn(opcode, owner, name, descriptor, isInterface);
        }

        private void call(String method, String text) {
            points++;
            super.visitLdcInsn(text);
            super.visitMethodInsn(Opcodes.INVOKESTATIC, INTERLEAVINGS, method, "(Ljava/lang/String;)V", false);
        }
    }

    private static String simple(String owner) {
        return owner.substring(owner.lastIndexOf('/') + 1);
    }

    private int access(String owner, String field) {
        if (!fields.containsKey(owner + "." + field)) {
            new ClassReader(bytes(owner))
                    .accept(
                            new ClassVisitor(Opcodes.ASM9) {
                                @Override
                                public FieldVisitor visitField(
                                        int access, String name, String descriptor, String signature, Object value) {
                                    fields.put(owner + "." + name, access);
                                    return null;
                                }
                            },
                            ClassReader.SKIP_CODE);
        }
        return fields.get(owner + "." + field);
    }
}
