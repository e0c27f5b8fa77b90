// SPDX-License-Identifier: Apache-2.0
/** What Quarkus runs when it builds an application: one class for each thing that the extension does. */
@NullMarked
package org.snowflakeid.quarkus.deployment;

import org.jspecify.annotations.NullMarked;
