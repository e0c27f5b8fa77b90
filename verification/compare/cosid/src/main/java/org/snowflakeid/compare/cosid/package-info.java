// SPDX-License-Identifier: Apache-2.0
/** CosId, as an application of Spring Boot has it. */
@NullMarked
package org.snowflakeid.compare.cosid;

import org.jspecify.annotations.NullMarked;
