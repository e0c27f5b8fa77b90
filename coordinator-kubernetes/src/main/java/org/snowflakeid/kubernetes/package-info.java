// SPDX-License-Identifier: Apache-2.0
/**
 * Worker ids leased from the API server of Kubernetes, one {@code Lease} object each. Four kinds of requests for one kind of object need no
 * Kubernetes client, whose version would have to suit that of the runtime (Quarkus brings one).
 */
@NullMarked
package org.snowflakeid.kubernetes;

import org.jspecify.annotations.NullMarked;
