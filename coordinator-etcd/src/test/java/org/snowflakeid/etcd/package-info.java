// SPDX-License-Identifier: Apache-2.0
@NullMarked
package org.snowflakeid.etcd;

import org.jspecify.annotations.NullMarked;
