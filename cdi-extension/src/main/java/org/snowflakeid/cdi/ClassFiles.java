// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.cdi;

import java.io.ByteArrayInputStream;
import java.io.DataInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Finds out which classes refer to a generator, by their files, and by those of what they extend, wherever these are. Loads none of them. */
final class ClassFiles {

    /** How the name of each annotation of ours ends, wherever a class file holds it. */
    private static final String MARK = "/SnowflakeId;";

    private final ClassLoader loader;

    /** Whether those that others extend are marked. */
    private final Map<String, Boolean> superclasses = new HashMap<>();

    ClassFiles(ClassLoader loader) {
        this.loader = loader;
    }

    boolean isMarked(byte[] classFile) {
        return new String(classFile, StandardCharsets.ISO_8859_1).contains(MARK)
                || isSuperclassMarked(superclass(classFile));
    }

    private boolean isSuperclassMarked(@Nullable String name) {
        if (name == null || name.startsWith("java/")) {
            return false;
        }
        Boolean known = superclasses.get(name);
        if (known == null) {
            // Nothing keeps files from naming each other.
            superclasses.put(name, false);
            known = isMarked(read(name));
            superclasses.put(name, known);
        }
        return known;
    }

    /** Empty if there is none: what extends it does not load either. */
    private byte[] read(String name) {
        try (InputStream in = loader.getResourceAsStream(name + ".class")) {
            return in == null ? new byte[0] : in.readAllBytes();
        } catch (IOException e) {
            return new byte[0];
        }
    }

    /** As class files write it; null if there is none, or if this is no class file. */
    private static @Nullable String superclass(byte[] classFile) {
        try (DataInputStream in = new DataInputStream(new ByteArrayInputStream(classFile))) {
            // Magic number and version.
            in.skipNBytes(8);
            int constants = in.readUnsignedShort();
            @Nullable String[] texts = new @Nullable String[constants];
            int[] names = new int[constants];
            for (int i = 1; i < constants; i++) {
                int kind = in.readUnsignedByte();
                switch (kind) {
                    case 1 -> texts[i] = in.readUTF();
                    case 7 -> names[i] = in.readUnsignedShort();
                    // Strings, method types, modules and packages.
                    case 8, 16, 19, 20 -> in.skipNBytes(2);
                    // Method handles.
                    case 15 -> in.skipNBytes(3);
                    // Numbers, members, names with types, and what is computed.
                    case 3, 4, 9, 10, 11, 12, 17, 18 -> in.skipNBytes(4);
                    // A long or a double, which takes two places.
                    case 5, 6 -> {
                        in.skipNBytes(8);
                        i++;
                    }
                    default -> throw new IOException("a constant of the unknown kind " + kind);
                }
            }
            // Its flags and its own name.
            in.skipNBytes(4);
            return texts[names[in.readUnsignedShort()]];
        } catch (IOException | IndexOutOfBoundsException noClassFile) {
            return null;
        }
    }
}
