// SPDX-License-Identifier: Apache-2.0
/**
 * Generators as beans of Spring Boot: {@code Snowflake ids} in the constructor of any bean, {@code @Qualifier("orders") Snowflake} for one
 * with a name. Each is configured by the keys {@code snowflake.*}, claimed while the context starts, and closed with it.
 */
@NullMarked
package org.snowflakeid.spring;

import org.jspecify.annotations.NullMarked;
