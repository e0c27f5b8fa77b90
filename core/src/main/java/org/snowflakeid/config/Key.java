// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.config;

import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import java.util.function.Predicate;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * A configuration key, declared once: reading it with a {@link SettingsReader}, the check for misspelt keys, the docs and the
 * operator's command all go by this declaration.
 *
 * <pre>{@code
 * static final Key<Duration> CALL_TIMEOUT = Key.duration("snowflake.etcd.call-timeout", "PT0.1S", "PT1M")
 *         .otherwise("what the window allows")
 *         .meaning("Upper bound of one call.");
 * }</pre>
 *
 * @param <T> what its text is converted to
 */
public final class Key<T> {

    /** How often applications set it, by which the docs are ordered. */
    public enum Use {
        /** To be thought about before the first id. */
        ESSENTIAL,
        OFTEN,
        RARE
    }

    private enum Disclosure {
        WHOLE,
        WITHOUT_CREDENTIALS,
        NEVER
    }

    /** More of a value would not help to see what is wrong with it. */
    private static final int MAX_SHOWN = 300;

    private static final Pattern SCHEME = Pattern.compile("(jdbc:)?[A-Za-z][A-Za-z0-9+.-]*://");

    private static final Pattern CREDENTIAL = Pattern.compile("passw|pwd|secret|token", Pattern.CASE_INSENSITIVE);

    private final String name;
    private final Kind<T> kind;
    private final @Nullable String standard;
    private final String otherwise;
    private final @Nullable String missing;
    private final Use use;
    private final boolean perGenerator;
    private final boolean place;
    private final boolean address;
    private final Disclosure disclosure;
    private final String meaning;

    private Key(Declaration<T> declared, String meaning) {
        this.name = declared.name;
        this.kind = declared.kind;
        this.standard = declared.standard;
        this.otherwise = declared.otherwise;
        this.missing = declared.missing;
        this.use = declared.use;
        this.perGenerator = declared.perGenerator;
        this.place = declared.place;
        this.address = declared.address;
        this.disclosure = declared.disclosure;
        this.meaning = meaning;
    }

    public static Declaration<String> text(String name) {
        return text(name, text -> true, "", "text");
    }

    /**
     * @param complaint follows key and value if the text is not accepted, and ends with the remedy
     * @param accepted for the docs
     */
    public static Declaration<String> text(String name, Predicate<String> accepts, String complaint, String accepted) {
        return new Declaration<>(name, new Kind.OfText(accepts, complaint, accepted));
    }

    /** Bounds are inclusive, in ISO-8601. Nothing finer than a millisecond is accepted. */
    public static Declaration<Duration> duration(String name, String min, String max) {
        return new Declaration<>(name, new Kind.OfDuration(Duration.parse(min), Duration.parse(max)));
    }

    /** Bounds are inclusive, in ISO-8601. Nothing finer than a millisecond is accepted. */
    public static Declaration<Instant> instant(String name, String min, String max) {
        return new Declaration<>(name, new Kind.OfInstant(Instant.parse(min), Instant.parse(max)));
    }

    /** Bounds are inclusive. */
    public static Declaration<Integer> integer(String name, int min, int max) {
        return new Declaration<>(name, new Kind.OfInteger(min, max));
    }

    public static Declaration<Boolean> bool(String name) {
        return new Declaration<>(name, new Kind.OfBoolean());
    }

    /** One of the constants, written in lower case with hyphens. */
    public static <E extends Enum<E>> Declaration<E> choice(String name, Class<E> type) {
        return new Declaration<>(name, Kind.OfChoice.among(type));
    }

    /** A file that this process can read. */
    public static Declaration<Path> file(String name) {
        return new Declaration<>(name, new Kind.OfFile());
    }

    /** A folder that need not exist yet, and where the records are. */
    public static Declaration<Path> folder(String name) {
        return new Declaration<>(name, new Kind.OfFolder()).address();
    }

    /** A folder of this machine that need not be the same elsewhere. */
    public static Declaration<Path> localFolder(String name) {
        return new Declaration<>(name, new Kind.OfFolder());
    }

    /** Hosts or URLs of servers, where the records are. Credentials in it are not shown. */
    public static Declaration<String> address(String name, String accepted) {
        Declaration<String> declared = text(name, text -> true, "", accepted).address();
        declared.disclosure = Disclosure.WITHOUT_CREDENTIALS;
        return declared;
    }

    /** Like {@link #address}, but credentials are refused. The remedy says in which keys they belong. */
    public static Declaration<String> addressWithoutCredentials(String name, String accepted, String remedy) {
        Declaration<String> declared = text(
                        name,
                        text -> !text.contains("@"),
                        "holds '@', as if for a user and a password. " + remedy,
                        accepted)
                .address();
        declared.disclosure = Disclosure.WITHOUT_CREDENTIALS;
        return declared;
    }

    /** A password or a token: blanks at its ends belong to it, and no message shows it. */
    public static Declaration<String> secret(String name, String accepted) {
        Declaration<String> declared = text(name, text -> true, "", accepted);
        declared.disclosure = Disclosure.NEVER;
        return declared;
    }

    /** What is said of a key beside its name and kind: in any order, its {@link #meaning} last. */
    public static final class Declaration<T> {
        private final String name;
        private final Kind<T> kind;
        private @Nullable String standard;
        private String otherwise = "";
        private @Nullable String missing;
        private Use use = Use.RARE;
        private boolean perGenerator;
        private boolean place;
        private boolean address;
        private Disclosure disclosure = Disclosure.WHOLE;

        private Declaration(String name, Kind<T> kind) {
            this.name = name;
            this.kind = kind;
        }

        /** The default, as it would be written. */
        public Declaration<T> standard(String text) {
            this.standard = text;
            return this;
        }

        /** What holds where the key is not set and the default is not a fixed value; in words, for docs and messages. */
        public Declaration<T> otherwise(String words) {
            this.otherwise = words;
            return this;
        }

        /** It must be set. The remedy follows "is not set." */
        public Declaration<T> required(String remedy) {
            this.missing = remedy;
            return this;
        }

        public Declaration<T> use(Use howOften) {
            this.use = howOften;
            return this;
        }

        /** {@code snowflake.generators.<name>.} can override it. */
        public Declaration<T> perGenerator() {
            this.perGenerator = true;
            return this;
        }

        /** Its value decides which records are found: another value means other records, also on the same servers. */
        public Declaration<T> place() {
            this.place = true;
            return this;
        }

        private Declaration<T> address() {
            this.address = true;
            return place();
        }

        /** Completes it with a sentence or two for the docs, in Markdown. */
        public Key<T> meaning(String sentence) {
            return new Key<>(this, sentence);
        }
    }

    /** In full, such as {@code snowflake.window}. */
    public String name() {
        return name;
    }

    /** For the docs, in Markdown. */
    public String meaning() {
        return meaning;
    }

    /** What may be written; for the docs, in Markdown. */
    public String accepted() {
        return kind.accepted();
    }

    /** The default as it would be written; empty if there is none or it depends on other keys. */
    public Optional<String> standard() {
        return Optional.ofNullable(standard);
    }

    /** What holds if it is not set; for the docs, in Markdown. */
    public String unset() {
        if (missing != null) {
            return "required";
        }
        if (!otherwise.isEmpty()) {
            return otherwise;
        }
        return standard == null ? "–" : "`" + standard + "`";
    }

    public Use use() {
        return use;
    }

    /** Whether {@code snowflake.generators.<name>.} can override it. */
    public boolean isPerGenerator() {
        return perGenerator;
    }

    /** Whether its value says where a namespace is, such as the URL of a server. */
    public boolean isPlace() {
        return place;
    }

    /** Whether its value alone says where that is. A schema or a datacenter does not: each server has its own. */
    public boolean isAddress() {
        return address;
    }

    /** Whether its value must never be shown. */
    public boolean isSecret() {
        return disclosure == Disclosure.NEVER;
    }

    /** A value of this key, or a part of one, as messages may show it: on one line, bounded, and without secrets. */
    public String shown(String value) {
        String harmless =
                switch (disclosure) {
                    case WHOLE -> value;
                    case WITHOUT_CREDENTIALS -> withoutCredentials(value);
                    case NEVER -> "(not shown)";
                };
        StringBuilder line = new StringBuilder();
        harmless.codePoints()
                .limit(MAX_SHOWN)
                .forEach(c ->
                        line.append(Character.isISOControl(c) ? String.format("\\u%04x", c) : Character.toString(c)));
        return harmless.codePointCount(0, harmless.length()) > MAX_SHOWN ? line + "…" : line.toString();
    }

    /**
     * Hides too much rather than too little: a password may hold any character, and a URL may lack its scheme. What precedes the last {@code @}, or
     * follows a {@code ?}, may be credentials. Each database driver has its own way to write them: what is left must not even look like one.
     */
    private static String withoutCredentials(String address) {
        Matcher matcher = SCHEME.matcher(address);
        String scheme = matcher.lookingAt() ? matcher.group() : "";
        int at = address.lastIndexOf('@');
        int parameters = indexOfAny(address, "?#;(");
        String shown = parameters < 0 ? address : address.substring(0, parameters + 1) + "***";
        if (at >= 0) {
            shown = scheme + "***" + (parameters < 0 ? address.substring(at) : "");
        }
        return CREDENTIAL.matcher(shown).find() ? scheme + "***" : shown;
    }

    private static int indexOfAny(String text, String characters) {
        for (int i = 0; i < text.length(); i++) {
            if (characters.indexOf(text.charAt(i)) >= 0) {
                return i;
            }
        }
        return -1;
    }

    /** Null if the text is blank: as though the key were not set. */
    @Nullable
    String clean(@Nullable String text) {
        if (text == null || text.isBlank()) {
            return null;
        }
        return isSecret() ? text : text.strip();
    }

    /** @throws IllegalArgumentException with the complaint */
    T read(String text) {
        return kind.read(text, this);
    }

    /** The value that holds where the key is not set. */
    Optional<T> standardValue() {
        return standard().map(this::read);
    }

    /** The remedy if it must be set and isn't. */
    Optional<String> missing() {
        return Optional.ofNullable(missing);
    }

    /** What holds without it, to follow a complaint. */
    String reminder() {
        if (standard != null) {
            return " The default is " + standard + ".";
        }
        return otherwise.isEmpty() ? "" : " Without it: " + otherwise.replace("`", "") + ".";
    }

    @Override
    public String toString() {
        return name;
    }
}
