// SPDX-License-Identifier: Apache-2.0
/** Worker ids leased from etcd. */
@NullMarked
package org.snowflakeid.etcd;

import org.jspecify.annotations.NullMarked;
