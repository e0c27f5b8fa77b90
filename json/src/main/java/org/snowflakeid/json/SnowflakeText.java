// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.json;

import com.fasterxml.jackson.annotation.JacksonAnnotationsInside;
import jakarta.json.bind.annotation.JsonbAnnotation;
import jakarta.json.bind.annotation.JsonbTypeDeserializer;
import jakarta.json.bind.annotation.JsonbTypeSerializer;
import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.snowflakeid.SnowflakeFormat;

/**
 * On a field, property, record component or creator's parameter of type {@code long} or {@link Long}: the id is text in JSON, written and
 * read, since JavaScript rounds numbers above 2^53. Understood by JSON-B, Jackson 2 and Jackson 3, whichever is there, and by
 * {@code snowflake-rest} on parameters of a resource.
 *
 * <p>Only a text that {@link SnowflakeFormat#parse} accepts is read; another one, and a JSON number, is an error of the JSON library caused by an
 * {@link org.snowflakeid.IdFormatException}. {@code null} is a {@link Long} of null, and an error for a {@code long}.
 *
 * <p>Yasson does not see this annotation on the parameters of a creator, a record's included, and reads a text there as it reads any number:
 * add {@code @JsonbTypeDeserializer(JsonbText.class)} beside it.
 *
 * <p>Descriptions of OpenAPI by swagger-core, springdoc and SmallRye have a string there, with a pattern and an example.
 */
@Documented
@Retention(RetentionPolicy.RUNTIME)
@Target({ElementType.FIELD, ElementType.METHOD, ElementType.PARAMETER, ElementType.ANNOTATION_TYPE})
@JsonbAnnotation
@JsonbTypeSerializer(JsonbText.class)
@JsonbTypeDeserializer(JsonbText.class)
@JacksonAnnotationsInside
// By contentUsing too: what takes properties of any name has no other.
@com.fasterxml.jackson.databind.annotation.JsonSerialize(using = Jackson2Text.Serializer.class)
@com.fasterxml.jackson.databind.annotation.JsonDeserialize(
        using = Jackson2Text.Deserializer.class,
        contentUsing = Jackson2Text.Deserializer.class)
@tools.jackson.databind.annotation.JsonSerialize(using = Jackson3Text.Serializer.class)
@tools.jackson.databind.annotation.JsonDeserialize(
        using = Jackson3Text.Deserializer.class,
        contentUsing = Jackson3Text.Deserializer.class)
// For all formats, since it can't depend on the value. Not by the type STRING: where that library is not there, the
// compiler would warn of it.
@org.eclipse.microprofile.openapi.annotations.media.Schema(
        implementation = String.class,
        pattern = "^[0-9A-Za-z]{1,19}$",
        example = "911852594806915072")
public @interface SnowflakeText {

    /** In JSON-B, which shows serializers no value of an annotation, this is decimal whatever is said here: {@link JsonbText} has the others. */
    SnowflakeFormat value() default SnowflakeFormat.DECIMAL;
}
