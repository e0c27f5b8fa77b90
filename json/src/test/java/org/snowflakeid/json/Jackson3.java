// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.json;

import tools.jackson.databind.ObjectMapper;
import tools.jackson.databind.json.JsonMapper;

final class Jackson3 implements JsonLibrary {

    private final ObjectMapper mapper;

    Jackson3() {
        this(new ObjectMapper());
    }

    private Jackson3(ObjectMapper mapper) {
        this.mapper = mapper;
    }

    /** With all that are on the class path. */
    static Jackson3 withModules() {
        return new Jackson3(JsonMapper.builder().findAndAddModules().build());
    }

    @Override
    public String write(Object value) {
        return mapper.writeValueAsString(value);
    }

    @Override
    public <T> T read(String json, Class<T> type) {
        return mapper.readValue(json, type);
    }
}
