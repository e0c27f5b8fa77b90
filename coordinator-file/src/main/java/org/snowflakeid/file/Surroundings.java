// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.file;

import java.lang.System.Logger.Level;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/** Warns of what may be wrong with a usable folder: only the user knows whether it is. */
final class Surroundings {
    private static final System.Logger LOGGER = System.getLogger(Surroundings.class.getName());
    private static final Set<String> IN_MEMORY = Set.of("tmpfs", "ramfs");

    /** Of the layer that belongs to one container. */
    private static final Set<String> OF_A_CONTAINER = Set.of("overlay", "overlayfs", "fuse-overlayfs", "aufs");

    /** Set in every pod. */
    private static final String IN_A_POD = "KUBERNETES_SERVICE_HOST";

    private static final Set<Path> WARNED = ConcurrentHashMap.newKeySet();

    private Surroundings() {}

    /**
     * Warns once for each folder.
     *
     * @param place the directory, or what lies below it
     */
    static void warn(String generator, Path directory, Path place, String fileSystemType) {
        if (WARNED.add(place)) {
            for (String doubt : doubts(named(directory, place), fileSystemType, System.getenv(IN_A_POD))) {
                LOGGER.log(Level.WARNING, "snowflake '" + generator + "': " + doubt);
            }
        }
    }

    /** As the setting has the directory; what lies below it is in parentheses. */
    static String named(Path directory, Path place) {
        return FileCoordinatorProvider.DIRECTORY + "=" + directory
                + (place.equals(directory) ? "" : " (" + place + ")");
    }

    /** @param podsApi null: not in a pod */
    static List<String> doubts(String place, String fileSystemType, @Nullable String podsApi) {
        List<String> doubts = new ArrayList<>();
        if (IN_MEMORY.contains(fileSystemType)) {
            doubts.add(place + " is in memory (" + fileSystemType
                    + "). When this machine starts again, all marks are gone, and ids may repeat, if its clock is behind then."
                    + " Name a folder on a disk.");
        }
        if (OF_A_CONTAINER.contains(fileSystemType)) {
            doubts.add(place + " is in a layer of a container (" + fileSystemType
                    + "), which no other container has: each would take the same worker ids, and ids repeat; and it is lost with the"
                    + " container. Name a folder on a volume that all containers of this host share, or use another"
                    + " coordinator.");
        }
        if (podsApi != null) {
            doubts.add(place + " is used in a pod (" + IN_A_POD
                    + " is set). A pod shares a folder of its own with no other pod: all would take the same worker ids, and ids"
                    + " repeat; and it is lost with the pod. Use another coordinator, unless all pods of this namespace are"
                    + " on one node and share that folder.");
        }
        return doubts;
    }
}
