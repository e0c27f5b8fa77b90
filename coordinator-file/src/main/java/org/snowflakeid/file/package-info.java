// SPDX-License-Identifier: Apache-2.0
/** Coordinates the processes of one host through a folder. */
@NullMarked
package org.snowflakeid.file;

import org.jspecify.annotations.NullMarked;
