// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.interleaving;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import java.util.function.Supplier;
import org.objectweb.asm.ClassReader;
import org.objectweb.asm.ClassVisitor;
import org.objectweb.asm.ClassWriter;
import org.objectweb.asm.FieldVisitor;
import org.objectweb.asm.Label;
import org.objectweb.asm.MethodVisitor;
import org.objectweb.asm.Opcodes;
import org.objectweb.asm.Type;

/**
 * Loads core's own class files with a point of {@link Interleavings} before each access to a volatile field, each call of an
 * atomic or of a shared collection and each monitor, and a check at each access to a plain field that is not final. Scenarios are loaded
 * beside them.
 */
public final class InstrumentedCore extends ClassLoader {

    private static final String PACKAGE = "org/snowflakeid/";
    private static final String INTERLEAVINGS = PACKAGE + "interleaving/Interleavings";
    private static final String OBJECT = "Ljava/lang/Object;";
    private static final String STRING = "Ljava/lang/String;";
    private static final Set<String> SHARED_TYPES = Set.of(
            "java/util/concurrent/atomic/AtomicBoolean",
            "java/util/concurrent/atomic/AtomicInteger",
            "java/util/concurrent/atomic/AtomicLong",
            "java/util/concurrent/atomic/AtomicLongArray",
            "java/util/concurrent/atomic/AtomicReference",
            "java/util/concurrent/ConcurrentHashMap",
            "java/util/concurrent/ConcurrentLinkedDeque",
            "java/util/concurrent/ConcurrentLinkedQueue",
            "java/util/Deque",
            "java/util/Queue");

    /** Of several kinds: which one it is, is seen when it is called. */
    private static final Set<String> COLLECTIONS = Set.of(
            "java/util/ArrayList",
            "java/util/Collection",
            "java/util/HashMap",
            "java/util/HashSet",
            "java/util/List",
            "java/util/Map",
            "java/util/Set");

    private static final Set<String> READS = Set.of(
            "contains", "containsKey", "forEach", "get", "isEmpty", "iterator", "length", "peek", "size", "stream");

    /** Messages for people, and hints that may come late: not worth a point. */
    private static final Set<String> NO_POINT = Set.of(
            "SharedState.started",
            "SharedState.ended",
            "SharedState.lastError",
            "SharedState.clockWarning",
            "SharedState.suspension",
            "SharedState.vettingWanted",
            "SharedState.keeper",
            "IdIssuer.usedUpTick",
            "KeeperThread.thread",
            "KeeperThread.stepping",
            "Keeper.interruption",
            "Keeper.lossHinted",
            "Reading.credibleMillis");

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
        reader.accept(new Instrumentation(writer), 0);
        return writer.toByteArray();
    }

    private final class Instrumentation extends ClassVisitor {
        private final Map<String, Bridge> bridges = new LinkedHashMap<>();
        private String name;
        private boolean isInterface;

        Instrumentation(ClassVisitor next) {
            super(Opcodes.ASM9, next);
        }

        @Override
        public void visit(
                int version, int access, String className, String signature, String superName, String[] interfaces) {
            name = className;
            isInterface = (access & Opcodes.ACC_INTERFACE) != 0;
            super.visit(version, access, className, signature, superName, interfaces);
        }

        @Override
        public MethodVisitor visitMethod(
                int access, String method, String descriptor, String signature, String[] exceptions) {
            // The monitor is one of the schedule: a thread that waited for a real one would hold up all.
            int unlocked = access & ~Opcodes.ACC_SYNCHRONIZED;
            MethodVisitor plain = super.visitMethod(unlocked, method, descriptor, signature, exceptions);
            // What is being made is not shared yet.
            if (method.endsWith("init>")) {
                return plain;
            }
            Points points = new Points(plain, this);
            if (unlocked == access) {
                return points;
            }
            if ((access & Opcodes.ACC_STATIC) != 0) {
                throw new IllegalStateException("static and synchronized: " + name + "." + method);
            }
            return new Locked(points, name);
        }

        @Override
        public void visitEnd() {
            bridges.values().forEach(bridge -> bridge.write(cv));
            super.visitEnd();
        }
    }

    /** A call of something shared, in a method of its own, where receiver and result are at hand. */
    private record Bridge(
            String name, int opcode, String owner, String method, String descriptor, boolean ofInterface) {

        String bridgeDescriptor() {
            return "(L" + owner + ";" + descriptor.substring(1);
        }

        void write(ClassVisitor to) {
            MethodVisitor code = to.visitMethod(
                    Opcodes.ACC_PRIVATE | Opcodes.ACC_STATIC | Opcodes.ACC_SYNTHETIC,
                    name,
                    bridgeDescriptor(),
                    null,
                    null);
            code.visitCode();
            code.visitLdcInsn(simple(owner) + "." + method);
            code.visitVarInsn(Opcodes.ALOAD, 0);
            code.visitInsn(READS.contains(method) ? Opcodes.ICONST_0 : Opcodes.ICONST_1);
            code.visitMethodInsn(
                    Opcodes.INVOKESTATIC,
                    INTERLEAVINGS,
                    SHARED_TYPES.contains(owner) ? "beforeShared" : "beforeCollection",
                    "(" + STRING + OBJECT + "Z)V",
                    false);
            int slot = 0;
            for (Type argument : Type.getArgumentTypes(bridgeDescriptor())) {
                code.visitVarInsn(argument.getOpcode(Opcodes.ILOAD), slot);
                slot += argument.getSize();
            }
            code.visitMethodInsn(opcode, owner, method, descriptor, ofInterface);
            code.visitVarInsn(Opcodes.ALOAD, 0);
            if (method.equals("compareAndSet")) {
                code.visitMethodInsn(Opcodes.INVOKESTATIC, INTERLEAVINGS, "afterCompare", "(Z" + OBJECT + ")Z", false);
            } else {
                code.visitInsn(READS.contains(method) ? Opcodes.ICONST_0 : Opcodes.ICONST_1);
                code.visitMethodInsn(Opcodes.INVOKESTATIC, INTERLEAVINGS, "afterShared", "(" + OBJECT + "Z)V", false);
            }
            code.visitInsn(Type.getReturnType(descriptor).getOpcode(Opcodes.IRETURN));
            code.visitMaxs(0, 0);
            code.visitEnd();
        }
    }

    /** A synchronized method. */
    private static final class Locked extends MethodVisitor {
        private final String owner;
        private final Label begin = new Label();
        private final Label end = new Label();

        Locked(MethodVisitor next, String owner) {
            super(Opcodes.ASM9, next);
            this.owner = owner;
        }

        @Override
        public void visitCode() {
            super.visitCode();
            monitor("enter");
            super.visitLabel(begin);
        }

        @Override
        public void visitInsn(int opcode) {
            if (opcode >= Opcodes.IRETURN && opcode <= Opcodes.RETURN) {
                monitor("exit");
            }
            super.visitInsn(opcode);
        }

        @Override
        public void visitMaxs(int maxStack, int maxLocals) {
            Label handler = end;
            super.visitTryCatchBlock(begin, end, handler, null);
            super.visitLabel(handler);
            super.visitFrame(Opcodes.F_FULL, 1, new Object[] {owner}, 1, new Object[] {"java/lang/Throwable"});
            monitor("exit");
            super.visitInsn(Opcodes.ATHROW);
            super.visitMaxs(maxStack, maxLocals);
        }

        private void monitor(String verb) {
            super.visitVarInsn(Opcodes.ALOAD, 0);
            super.visitMethodInsn(Opcodes.INVOKESTATIC, INTERLEAVINGS, verb, "(" + OBJECT + ")V", false);
        }
    }

    private final class Points extends MethodVisitor {
        private final Instrumentation within;

        Points(MethodVisitor next, Instrumentation within) {
            super(Opcodes.ASM9, next);
            this.within = within;
        }

        @Override
        public void visitInsn(int opcode) {
            switch (opcode) {
                case Opcodes.MONITORENTER -> call("enter", "(" + OBJECT + ")V");
                case Opcodes.MONITOREXIT -> call("exit", "(" + OBJECT + ")V");
                default -> super.visitInsn(opcode);
            }
        }

        @Override
        public void visitFieldInsn(int opcode, String owner, String name, String descriptor) {
            if (owner.startsWith(PACKAGE) && isCore(owner)) {
                int access = access(owner, name);
                boolean read = opcode == Opcodes.GETFIELD || opcode == Opcodes.GETSTATIC;
                if ((access & Opcodes.ACC_FINAL) == 0) {
                    String field = simple(owner) + "." + name;
                    copyOwner(opcode, Type.getType(descriptor).getSize());
                    super.visitLdcInsn(field);
                    if ((access & Opcodes.ACC_VOLATILE) == 0) {
                        call(read ? "readPlain" : "writePlain", "(" + OBJECT + STRING + ")V");
                    } else {
                        super.visitInsn(NO_POINT.contains(field) ? Opcodes.ICONST_0 : Opcodes.ICONST_1);
                        call(read ? "readVolatile" : "writeVolatile", "(" + OBJECT + STRING + "Z)V");
                    }
                }
            }
            super.visitFieldInsn(opcode, owner, name, descriptor);
        }

        /** Puts the object whose field it is on the stack once more; null for a static field. */
        private void copyOwner(int opcode, int size) {
            if (opcode == Opcodes.GETSTATIC || opcode == Opcodes.PUTSTATIC) {
                super.visitInsn(Opcodes.ACONST_NULL);
            } else if (opcode == Opcodes.GETFIELD) {
                super.visitInsn(Opcodes.DUP);
            } else if (size == 1) {
                super.visitInsn(Opcodes.DUP2);
                super.visitInsn(Opcodes.POP);
            } else {
                super.visitInsn(Opcodes.DUP2_X1);
                super.visitInsn(Opcodes.POP2);
                super.visitInsn(Opcodes.DUP_X2);
            }
        }

        @Override
        public void visitMethodInsn(int opcode, String owner, String name, String descriptor, boolean isInterface) {
            boolean shared = SHARED_TYPES.contains(owner) || COLLECTIONS.contains(owner);
            if (!shared || name.equals("<init>") || opcode == Opcodes.INVOKESTATIC) {
                super.visitMethodInsn(opcode, owner, name, descriptor, isInterface);
                return;
            }
            points++;
            Bridge bridge = within.bridges.computeIfAbsent(
                    owner + "." + name + descriptor,
                    key -> new Bridge("shared$" + within.bridges.size(), opcode, owner, name, descriptor, isInterface));
            super.visitMethodInsn(
                    Opcodes.INVOKESTATIC, within.name, bridge.name(), bridge.bridgeDescriptor(), within.isInterface);
        }

        private void call(String method, String descriptor) {
            points++;
            super.visitMethodInsn(Opcodes.INVOKESTATIC, INTERLEAVINGS, method, descriptor, false);
        }
    }

    private static String simple(String owner) {
        return owner.substring(Math.max(owner.lastIndexOf('/'), owner.lastIndexOf('$')) + 1);
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
