// SPDX-License-Identifier: Apache-2.0
/**
 * Says which file systems are local to a host. The resume directory and the coordinator for files come in, when they are opened. It knows no other
 * room.
 */
@NullMarked
package org.snowflakeid.files;

import org.jspecify.annotations.NullMarked;
