// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.json;

/** As an application uses it, with its own defaults. */
interface JsonLibrary {

    String write(Object value) throws Exception;

    <T> T read(String json, Class<T> type) throws Exception;
}
