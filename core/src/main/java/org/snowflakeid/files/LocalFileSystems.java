// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.files;

import java.util.Locale;
import java.util.Set;

/**
 * Tells file systems of one kernel's own disks, where locks and renames hold for all that see them, from those that several machines, or a machine
 * and its guests, see at once.
 */
public final class LocalFileSystems {

    private static final Set<String> SHARED = Set.of(
            "9p",
            "acfs",
            "afpfs",
            "afs",
            "auristorfs",
            "beegfs",
            "ceph",
            "cifs",
            "coda",
            "cvfs",
            "cxfs",
            "davfs",
            "drvfs",
            "fakeowner",
            "fhgfs",
            "gfs",
            "gfs2",
            "glusterfs",
            "gpfs",
            "grpcfuse",
            "lustre",
            "macfuse",
            "ncpfs",
            "nfs",
            "nfs3",
            "nfs4",
            "ocfs",
            "ocfs2",
            "orangefs",
            "osxfs",
            "panfs",
            "prl_fs",
            "pvfs2",
            "smb",
            "smb2",
            "smb3",
            "smbfs",
            "vboxsf",
            "virtiofs",
            "vmhgfs",
            "webdav",
            "wekafs");

    /** Rootless containers see their own disk through it. */
    private static final String FUSE_OVERLAY = "fuse.fuse-overlayfs";

    private LocalFileSystems() {}

    /** @param type as {@link java.nio.file.FileStore#type()} names it */
    public static boolean isLocal(String type) {
        String name = type.toLowerCase(Locale.ROOT);
        if (name.equals("fuse") || name.startsWith("fuse.")) {
            return name.equals(FUSE_OVERLAY);
        }
        return !SHARED.contains(name);
    }
}
