// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.operator;

import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.snowflakeid.config.EnvironmentVariable;

/**
 * A profile of MicroProfile Config: {@code %prod.snowflake.namespace} goes before {@code snowflake.namespace} of the same source, if
 * the application runs with the profile {@code prod}. Without a profile nothing of that kind is passed over in silence, since it may
 * be what the application takes.
 */
final class Profile {

    private static final Pattern PROPERTY = Pattern.compile("%([^.]+)\\.(snowflake\\..*)");

    /** %prod.snowflake.namespace in the form of an environment variable. */
    private static final Pattern VARIABLE = Pattern.compile("_(.+?)_((SNOWFLAKE|snowflake)_.*)");

    /** How it is said that there is none. */
    private static final String NONE = "none";

    private final @Nullable String name;
    private final Set<String> others = new TreeSet<>();
    private boolean applied;

    /** @param name null: it was not said which */
    Profile(@Nullable String name) {
        this.name = name;
    }

    Optional<String> name() {
        return Optional.ofNullable(name);
    }

    /**
     * What of a source's values is in force, by keys without a profile.
     *
     * @param source for messages
     * @param names what an entry of the source means, with a profile or without
     * @throws org.snowflakeid.InvalidSettingsException if there are keys of profiles, and it was not said which is in force
     */
    private Map<String, String> inForce(Map<String, String> values, String source, Pattern names) {
        Map<String, String> inForce = new HashMap<>();
        Map<String, String> ofProfile = new HashMap<>();
        values.forEach((key, value) -> {
            Matcher matcher = names.matcher(key);
            if (!matcher.matches()) {
                inForce.put(key, value);
            } else if (name == null) {
                throw GivenSettings.invalid(key + " in " + source + " is of the profile '" + matcher.group(1)
                        + "', and it isn't said which profile the application runs with. Add --profile "
                        + matcher.group(1).toLowerCase(Locale.ROOT)
                        + " if it is that one; else its name, or --profile none if it runs without one.");
            } else if (isMeant(matcher.group(1))) {
                ofProfile.put(matcher.group(2), value);
            } else {
                others.add(matcher.group(1).toLowerCase(Locale.ROOT));
            }
        });
        applied |= !ofProfile.isEmpty();
        inForce.putAll(ofProfile);
        return inForce;
    }

    /** One key may be of several profiles: %dev,test.snowflake.namespace. */
    private boolean isMeant(String profiles) {
        String meant = String.valueOf(name);
        String variable = EnvironmentVariable.withUnderscores(meant);
        return Arrays.stream(profiles.split(",")).anyMatch(profile -> profile.equals(name) || profile.equals(variable))
                || profiles.equals(EnvironmentVariable.of(meant));
    }

    /** There is a file of it, with keys. */
    void isApplied() {
        applied = true;
    }

    /** There is a file of another one, with keys. */
    void leavesOut(String other) {
        others.add(other);
    }

    /**
     * To be called when all settings have been read, before anything is written.
     *
     * @param profiles the same one, in the settings for each end of a move
     * @throws org.snowflakeid.InvalidSettingsException if no key is set for it, but for others: misspelt, it would leave the
     *     keys in force that are those of no profile
     */
    static void requireMeant(List<Profile> profiles) {
        String meant = String.valueOf(profiles.get(0).name);
        Set<String> left = new TreeSet<>();
        profiles.forEach(profile -> left.addAll(profile.others));
        if (!meant.equals(NONE) && !left.isEmpty() && profiles.stream().noneMatch(profile -> profile.applied)) {
            throw GivenSettings.invalid("--profile " + meant + ": no key is set for it, only for "
                    + String.join(", ", left) + ". Give one of these if it was misspelt; only one can be given. If the"
                    + " application runs with '" + meant + "' and has no keys for it, give --profile none.");
        }
    }

    Map<String, String> properties(Map<String, String> values, String file) {
        return inForce(values, file, PROPERTY);
    }

    Map<String, String> variables(Map<String, String> environment) {
        return inForce(environment, "the environment", VARIABLE);
    }

    static boolean isKeyOfOne(String key) {
        return PROPERTY.matcher(key).matches();
    }

    /** For the operator to see; empty if there is nothing to be said. */
    Optional<String> described() {
        return name().map(given -> given
                + (applied ? "" : ", for which no key is set")
                + (others.isEmpty() ? "" : "; keys of others are left out: " + String.join(", ", others)));
    }
}
