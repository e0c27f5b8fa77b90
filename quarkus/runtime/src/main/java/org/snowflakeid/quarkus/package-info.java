// SPDX-License-Identifier: Apache-2.0
/** The part of the extension that is in an application. Applications use none of it. */
@NullMarked
package org.snowflakeid.quarkus;

import org.jspecify.annotations.NullMarked;
