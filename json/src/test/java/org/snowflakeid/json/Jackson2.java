// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.json;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;

final class Jackson2 implements JsonLibrary {

    private final ObjectMapper mapper;

    Jackson2() {
        this(new ObjectMapper());
    }

    private Jackson2(ObjectMapper mapper) {
        this.mapper = mapper;
    }

    /** With all that are on the class path. */
    static Jackson2 withModules() {
        return new Jackson2(new ObjectMapper().findAndRegisterModules());
    }

    @Override
    public String write(Object value) throws JsonProcessingException {
        return mapper.writeValueAsString(value);
    }

    @Override
    public <T> T read(String json, Class<T> type) throws JsonProcessingException {
        return mapper.readValue(json, type);
    }
}
