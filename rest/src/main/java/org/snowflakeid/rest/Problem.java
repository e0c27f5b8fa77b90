// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.rest;

import jakarta.ws.rs.core.Response;
import jakarta.ws.rs.core.Response.ResponseBuilder;
import jakarta.ws.rs.core.Response.Status;

/** An error as RFC 9457 has it. Written by hand: no JSON library is there for certain. */
final class Problem {

    private Problem() {}

    static ResponseBuilder response(Status status, String detail) {
        return Response.status(status)
                .type("application/problem+json")
                .entity("{\"title\":\"" + status.getReasonPhrase() + "\",\"status\":" + status.getStatusCode()
                        + ",\"detail\":\"" + escaped(detail) + "\"}");
    }

    private static String escaped(String text) {
        StringBuilder escaped = new StringBuilder();
        for (int at = 0; at < text.length(); at++) {
            char each = text.charAt(at);
            if (each == '"' || each == '\\') {
                escaped.append('\\').append(each);
            } else if (each < ' ' || each > '~') {
                escaped.append(String.format("\\u%04x", (int) each));
            } else {
                escaped.append(each);
            }
        }
        return escaped.toString();
    }
}
