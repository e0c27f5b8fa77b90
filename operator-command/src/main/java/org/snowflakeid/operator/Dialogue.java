// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.operator;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintWriter;
import java.io.Reader;
import java.nio.charset.Charset;

/** The output to the operator, and the operator's answers. */
final class Dialogue {

    /** The output was lost: the disk is full, or the pipe has no reader any more. */
    static final class OutputLostException extends RuntimeException {
        private static final long serialVersionUID = 1L;

        OutputLostException() {
            super("The output can't be written: its disk is full, or what reads it has ended.");
        }
    }

    private final BufferedReader in;
    private final PrintWriter out;
    private final PrintWriter err;

    Dialogue(Reader in, PrintWriter out, PrintWriter err) {
        this.in = new BufferedReader(in);
        this.out = out;
        this.err = err;
    }

    static Dialogue onTerminal() {
        return new Dialogue(
                new InputStreamReader(System.in, Charset.defaultCharset()),
                new PrintWriter(System.out, true, Charset.defaultCharset()),
                new PrintWriter(System.err, true, Charset.defaultCharset()));
    }

    PrintWriter out() {
        return out;
    }

    PrintWriter err() {
        return err;
    }

    void say(String line) {
        out.println(visible(line));
    }

    /** A PrintWriter throws no errors. */
    void requireSaid() {
        if (out.checkError()) {
            throw new OutputLostException();
        }
    }

    void complain(String line) {
        err.println(visible(line));
    }

    /** What others may have written into a coordinator or a database, a terminal would obey. JSON has the same escapes. */
    private static String visible(String text) {
        if (text.chars().noneMatch(Dialogue::isObeyed)) {
            return text;
        }
        StringBuilder shown = new StringBuilder();
        text.chars()
                .forEach(each ->
                        shown.append(isObeyed(each) ? String.format("\\u%04x", each) : Character.toString(each)));
        return shown.toString();
    }

    private static boolean isObeyed(int character) {
        return Character.isISOControl(character) && character != '\n' && character != '\t';
    }

    /**
     * Only the whole name will do, so that no operator confirms another namespace by mistake; no answer at all is a no.
     *
     * @param question what comes before the name is asked for
     */
    boolean confirmed(String question, String namespace) {
        out.print(visible(question) + " Type the name of the namespace: ");
        out.flush();
        try {
            String answer = in.readLine();
            if (answer != null && answer.strip().equals(namespace)) {
                return true;
            }
        } catch (IOException e) {
            // as good as no answer
        }
        complain("Not confirmed, nothing was changed: the name is " + namespace
                + ". Without a terminal add --namespace, with that name, and --yes.");
        return false;
    }
}
