// SPDX-License-Identifier: Apache-2.0
/** Ids of entities: {@code @Id @SnowflakeId Long id}, for EclipseLink. */
@NullMarked
package org.snowflakeid.eclipselink;

import org.jspecify.annotations.NullMarked;
