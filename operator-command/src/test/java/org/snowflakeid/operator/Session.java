// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.operator;

import java.io.PrintWriter;
import java.io.Reader;
import java.io.StringReader;
import java.io.StringWriter;
import java.util.Map;

/** One run of the command: what it ended with and what it said. */
record Session(int exitCode, String out, String err) {

    static Session run(String... arguments) {
        return run(Map.of(), "", arguments);
    }

    /** @param typed what the operator answers */
    static Session run(Map<String, String> environment, String typed, String... arguments) {
        return run(environment, new StringReader(typed), arguments);
    }

    static Session run(Map<String, String> environment, Reader typed, String... arguments) {
        StringWriter out = new StringWriter();
        StringWriter err = new StringWriter();
        Dialogue dialogue = new Dialogue(typed, new PrintWriter(out), new PrintWriter(err));
        int exitCode = OperatorCommand.run(dialogue, environment, arguments);
        return new Session(exitCode, out.toString(), err.toString());
    }

    String all() {
        return out + err;
    }
}
