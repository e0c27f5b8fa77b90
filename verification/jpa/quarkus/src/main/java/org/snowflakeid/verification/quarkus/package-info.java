// SPDX-License-Identifier: Apache-2.0
/** Entities of an application on Quarkus, in both ways that are possible there. */
@NullMarked
package org.snowflakeid.verification.quarkus;

import org.jspecify.annotations.NullMarked;
