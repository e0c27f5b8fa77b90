// SPDX-License-Identifier: Apache-2.0
/** Ids of entities: {@code @Id @SnowflakeId Long id}, for Hibernate. */
@NullMarked
package org.snowflakeid.hibernate;

import org.jspecify.annotations.NullMarked;
