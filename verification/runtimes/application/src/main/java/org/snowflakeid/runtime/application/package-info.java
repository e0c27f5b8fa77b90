// SPDX-License-Identifier: Apache-2.0
/** What is asked of every runtime, beside the HTTP interface of the examples. */
@NullMarked
package org.snowflakeid.runtime.application;

import org.jspecify.annotations.NullMarked;
