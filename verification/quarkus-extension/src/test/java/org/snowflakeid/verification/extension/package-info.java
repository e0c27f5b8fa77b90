// SPDX-License-Identifier: Apache-2.0
/** Applications with the Quarkus extension. */
@NullMarked
package org.snowflakeid.verification.extension;

import org.jspecify.annotations.NullMarked;
