// SPDX-License-Identifier: Apache-2.0
/** Ids as parameters of Jakarta REST resources, and errors as problem details. */
@NullMarked
package org.snowflakeid.rest;

import org.jspecify.annotations.NullMarked;
