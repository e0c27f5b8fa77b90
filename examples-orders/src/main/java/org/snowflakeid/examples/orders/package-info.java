// SPDX-License-Identifier: Apache-2.0
/** Orders: an entity whose ids are made by an annotation, over HTTP and on a page. */
@NullMarked
package org.snowflakeid.examples.orders;

import org.jspecify.annotations.NullMarked;
