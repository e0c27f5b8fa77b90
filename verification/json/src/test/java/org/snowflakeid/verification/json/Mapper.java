// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.verification.json;

import com.fasterxml.jackson.databind.ObjectMapper;
import java.util.List;
import java.util.stream.Stream;
import org.snowflakeid.json.SnowflakeJackson2Module;
import org.snowflakeid.json.SnowflakeJackson3Module;
import tools.jackson.databind.JacksonModule;
import tools.jackson.databind.json.JsonMapper;

/** As an application has it. */
record Mapper(String name, Writing writing, Reading reading) {

    interface Writing {
        String write(Object value) throws Exception;
    }

    interface Reading {
        Object read(String json, Class<?> type) throws Exception;
    }

    String write(Object value) throws Exception {
        return writing.write(value);
    }

    Object read(String json, Class<?> type) throws Exception {
        return reading.read(json, type);
    }

    @Override
    public String toString() {
        return name;
    }

    /** Jackson with the modules that Kotlin needs, and none of ours. */
    static List<Mapper> withoutOurModule() {
        return List.of(
                jackson2("Jackson 2", new com.fasterxml.jackson.module.kotlin.KotlinModule.Builder().build()),
                jackson3("Jackson 3", new tools.jackson.module.kotlin.KotlinModule.Builder().build()));
    }

    /** In each order, and in that in which Jackson finds them. */
    static List<Mapper> withOurModule() {
        var kotlin2 = new com.fasterxml.jackson.module.kotlin.KotlinModule.Builder().build();
        var kotlin3 = new tools.jackson.module.kotlin.KotlinModule.Builder().build();
        ObjectMapper found2 = new ObjectMapper().findAndRegisterModules();
        JsonMapper found3 = JsonMapper.builder().findAndAddModules().build();
        return List.of(
                new Mapper("Jackson 2, modules found", found2::writeValueAsString, found2::readValue),
                jackson2("Jackson 2, ours first", new SnowflakeJackson2Module(), kotlin2),
                jackson2("Jackson 2, ours last", kotlin2, new SnowflakeJackson2Module()),
                new Mapper("Jackson 3, modules found", found3::writeValueAsString, found3::readValue),
                jackson3("Jackson 3, ours first", new SnowflakeJackson3Module(), kotlin3),
                jackson3("Jackson 3, ours last", kotlin3, new SnowflakeJackson3Module()));
    }

    static List<Mapper> all() {
        return Stream.concat(withoutOurModule().stream(), withOurModule().stream())
                .toList();
    }

    private static Mapper jackson2(String name, com.fasterxml.jackson.databind.Module... modules) {
        ObjectMapper mapper = new ObjectMapper().registerModules(modules);
        return new Mapper(name, mapper::writeValueAsString, mapper::readValue);
    }

    private static Mapper jackson3(String name, JacksonModule... modules) {
        JsonMapper mapper = JsonMapper.builder().addModules(modules).build();
        return new Mapper(name, mapper::writeValueAsString, mapper::readValue);
    }
}
