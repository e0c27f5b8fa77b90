// SPDX-License-Identifier: Apache-2.0
/** Says which file systems are local to a host, for the resume directory and the coordinator for files. It knows no other package. */
@NullMarked
package org.snowflakeid.files;

import org.jspecify.annotations.NullMarked;
