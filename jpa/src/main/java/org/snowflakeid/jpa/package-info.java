// SPDX-License-Identifier: Apache-2.0
/** Ids of entities: {@code @Id @SnowflakeId Long id}, for every provider of Jakarta Persistence. */
@NullMarked
package org.snowflakeid.jpa;

import org.jspecify.annotations.NullMarked;
