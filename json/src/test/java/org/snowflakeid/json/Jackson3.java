// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.json;

import tools.jackson.databind.ObjectMapper;

final class Jackson3 implements JsonLibrary {

    private final ObjectMapper mapper = new ObjectMapper();

    @Override
    public String write(Object value) {
        return mapper.writeValueAsString(value);
    }

    @Override
    public <T> T read(String json, Class<T> type) {
        return mapper.readValue(json, type);
    }
}
