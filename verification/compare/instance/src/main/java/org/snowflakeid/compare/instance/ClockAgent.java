// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.compare.instance;

import java.lang.instrument.ClassFileTransformer;
import java.lang.instrument.Instrumentation;
import java.nio.file.Path;
import java.security.ProtectionDomain;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;
import org.objectweb.asm.ClassReader;
import org.objectweb.asm.ClassVisitor;
import org.objectweb.asm.ClassWriter;
import org.objectweb.asm.Handle;
import org.objectweb.asm.MethodVisitor;
import org.objectweb.asm.Opcodes;

/**
 * Sets the clock of one process and of nothing else: every class that is not the JDK's asks the {@link WrongClock} where it asks
 * {@link System#currentTimeMillis()}. A library below the JVM that does so, libfaketime, makes each look at any clock so slow that a busy machine
 * takes a minute to start a process.
 */
public final class ClockAgent implements ClassFileTransformer {
    private static final String METHOD = "currentTimeMillis";
    private static final String SYSTEM = "java/lang/System";
    private static final String WRONG = WrongClock.class.getName().replace('.', '/');

    private ClockAgent() {}

    /** @param file of the {@link WrongClock} */
    public static void premain(String file, Instrumentation instrumentation) {
        WrongClock.follow(Path.of(file));
        instrumentation.addTransformer(new ClockAgent());
    }

    @Override
    public byte @Nullable [] transform(
            @Nullable ClassLoader loader,
            String name,
            @Nullable Class<?> redefined,
            @Nullable ProtectionDomain domain,
            byte[] classFile) {
        return loader == null || name.equals(WRONG) ? null : replace(classFile);
    }

    /** The class with its calls replaced, and its references to the method. */
    static byte[] replace(byte[] classFile) {
        ClassReader reader = new ClassReader(classFile);
        ClassWriter writer = new ClassWriter(reader, 0);
        reader.accept(
                new ClassVisitor(Opcodes.ASM9, writer) {
                    @Override
                    public MethodVisitor visitMethod(
                            int access, String name, String descriptor, String signature, String[] exceptions) {
                        return new Replacing(super.visitMethod(access, name, descriptor, signature, exceptions));
                    }
                },
                0);
        return writer.toByteArray();
    }

    private static final class Replacing extends MethodVisitor {
        Replacing(MethodVisitor next) {
            super(Opcodes.ASM9, next);
        }

        @Override
        public void visitMethodInsn(int opcode, String owner, String name, String descriptor, boolean isInterface) {
            super.visitMethodInsn(opcode, ownerOf(owner, name), name, descriptor, isInterface);
        }

        @Override
        public void visitInvokeDynamicInsn(String name, String descriptor, Handle bootstrap, Object... arguments) {
            Object[] replaced = Arrays.stream(arguments)
                    .map(argument -> argument instanceof Handle handle ? of(handle) : argument)
                    .toArray();
            super.visitInvokeDynamicInsn(name, descriptor, bootstrap, replaced);
        }

        private static Handle of(Handle handle) {
            return new Handle(
                    handle.getTag(),
                    ownerOf(handle.getOwner(), handle.getName()),
                    handle.getName(),
                    handle.getDesc(),
                    handle.isInterface());
        }

        private static String ownerOf(String owner, String name) {
            return owner.equals(SYSTEM) && name.equals(METHOD) ? WRONG : owner;
        }
    }
}
