// SPDX-License-Identifier: Apache-2.0
/** What is done with entities on every runtime, and the entities of the portable way. */
@NullMarked
package org.snowflakeid.verification.jpa;

import org.jspecify.annotations.NullMarked;
