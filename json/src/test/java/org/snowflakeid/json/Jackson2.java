// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.json;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;

final class Jackson2 implements JsonLibrary {

    private final ObjectMapper mapper = new ObjectMapper();

    @Override
    public String write(Object value) throws JsonProcessingException {
        return mapper.writeValueAsString(value);
    }

    @Override
    public <T> T read(String json, Class<T> type) throws JsonProcessingException {
        return mapper.readValue(json, type);
    }
}
