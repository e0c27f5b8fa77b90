// SPDX-License-Identifier: Apache-2.0
/**
 * For coordinators whose servers are asked over HTTP: what {@link org.snowflakeid.spi.RecordStore} demands of each call, but not what is asked.
 * A coordinator reads its settings into {@link org.snowflakeid.http.HttpSettings}, asks by an {@link org.snowflakeid.http.HttpCaller}, and says
 * what each {@link org.snowflakeid.http.Answer} means.
 *
 * <p>HTTP and TLS are the JDK's. For JSON, Gson's tree, unchanged for years, is the one dependency that no runtime minds in whichever version
 * it has.
 */
@NullMarked
package org.snowflakeid.http;

import org.jspecify.annotations.NullMarked;
