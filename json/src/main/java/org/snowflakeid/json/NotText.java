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
        return "@SnowflakeText stands on " + place + ", which is neither a long nor a Long but " + type
                + ". Take it away there, and write the ids as text yourself: SnowflakeFormat has format and parse.";
    }

    /** Jackson takes a method and the field of its name for one property, and shows the annotations of both at either. */
    static String misplacedOnMethod(String method, String type) {
        return misplaced(method + ", or on the field of that name", type)
                + " If it is the field's, put @JsonIgnore on the method.";
    }
}
