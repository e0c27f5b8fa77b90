// SPDX-License-Identifier: Apache-2.0
/** What entities must be given with each persistence provider, and the entities of the portable way. */
@NullMarked
package org.snowflakeid.verification.jpa;

import org.jspecify.annotations.NullMarked;
