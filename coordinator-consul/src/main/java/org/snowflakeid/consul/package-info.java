// SPDX-License-Identifier: Apache-2.0
/** Worker ids leased from Consul. */
@NullMarked
package org.snowflakeid.consul;

import org.jspecify.annotations.NullMarked;
