// SPDX-License-Identifier: Apache-2.0
/** An API server of Kubernetes, for tests. */
@NullMarked
package org.snowflakeid.testservers.kubernetes;

import org.jspecify.annotations.NullMarked;
