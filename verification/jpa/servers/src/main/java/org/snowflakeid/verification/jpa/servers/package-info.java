// SPDX-License-Identifier: Apache-2.0
/** Runs inside a server what is done with entities, each persistence unit with the server's data source and transactions. */
@NullMarked
package org.snowflakeid.verification.jpa.servers;

import org.jspecify.annotations.NullMarked;
