// SPDX-License-Identifier: Apache-2.0
/** What entities must be given with each persistence provider. */
@NullMarked
package org.snowflakeid.verification.jpa;

import org.jspecify.annotations.NullMarked;
