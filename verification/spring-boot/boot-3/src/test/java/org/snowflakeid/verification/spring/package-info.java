// SPDX-License-Identifier: Apache-2.0
/** The starter in applications. */
@NullMarked
package org.snowflakeid.verification.spring;

import org.jspecify.annotations.NullMarked;
