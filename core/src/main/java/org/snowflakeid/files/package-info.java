// SPDX-License-Identifier: Apache-2.0
/**
 * What file systems are local, and files that only one process writes. The resume directory and the coordinator for files come in, on threads
 * that may wait for a disk.
 */
@NullMarked
package org.snowflakeid.files;

import org.jspecify.annotations.NullMarked;
