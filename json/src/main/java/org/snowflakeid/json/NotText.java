// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.json;

import org.snowflakeid.IdFormatException;

/** Something else is in the place of an id's text. */
final class NotText {

    private NotText() {}

    /** @param kind what it is, in the words of the JSON library */
    static IdFormatException refusal(Object kind) {
        return new IdFormatException(kind + " is not an id: ids are text in JSON, in quotation marks");
    }

    /** @param place of the annotation */
    static String misplaced(String place, String type) {
        return "@SnowflakeText stands on " + place
                + ", which is neither a long or Long, nor a collection, array, Optional or map of these, but " + type
                + ". Take it away there, and write the ids as text yourself: SnowflakeFormat has format and parse.";
    }

    /** Jackson takes a method and the field of its name for one property, and shows the annotations of both at either. */
    static String misplacedOnMethod(String method, String type) {
        return misplaced(method + ", or on the field of that name", type)
                + " If it is the field's, put @JsonIgnore on the method.";
    }

    /** Jackson makes properties of what it holds, and would read numbers. */
    static String onAnyProperty(String place) {
        return "@SnowflakeText stands on " + place
                + ", which @JsonAnyGetter or @JsonAnySetter makes properties of any name. Take it away there, and write the ids as text"
                + " yourself: SnowflakeFormat has format and parse.";
    }

    /** @param method with its class */
    static String onParameter(String method) {
        return "@SnowflakeText stands on the parameter of " + method
                + ", where Jackson does not look for it. Put it on the method or on the field.";
    }

    /** It would be read from text and written as numbers. */
    static String besideUnmarkedValue(String type) {
        return "@SnowflakeText stands on the parameter of a creator of " + type
                + ", and not on its @JsonValue, which would be written as numbers. Put it there too.";
    }

    /** Jackson writes and reads references to objects without a look at the property that they consist of. */
    static String inReferences(String place) {
        return "@SnowflakeText stands on " + place
                + ", which @JsonIdentityInfo makes a reference to its object, and Jackson"
                + " writes and reads references as numbers. Take @JsonIdentityInfo away, and refer by a property of your own"
                + " with @SnowflakeText.";
    }

    /** @param module that repairs it */
    static String unmarkedInBuilder(String place, String builder, String module) {
        return "@SnowflakeText stands on " + place + ", and Jackson reads it through " + builder
                + ", where the annotation is not: it would read numbers. Register " + module
                + ", or put the annotation on the builder's property too.";
    }
}
