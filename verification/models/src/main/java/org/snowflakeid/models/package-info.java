// SPDX-License-Identifier: Apache-2.0
/** Runs TLC over the models of the protocol and compares the results with what the README says. */
@NullMarked
package org.snowflakeid.models;

import org.jspecify.annotations.NullMarked;
