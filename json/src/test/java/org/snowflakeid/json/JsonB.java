// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.json;

import jakarta.json.bind.Jsonb;
import jakarta.json.bind.JsonbBuilder;

final class JsonB implements JsonLibrary {

    private final Jsonb jsonb = JsonbBuilder.create();

    @Override
    public String write(Object value) {
        return jsonb.toJson(value);
    }

    @Override
    public <T> T read(String json, Class<T> type) {
        return jsonb.fromJson(json, type);
    }
}
