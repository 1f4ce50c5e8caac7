// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.bench.rivals;

import java.util.OptionalDouble;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Finds a number in a program's output.
 *
 * @param pattern its last group is the number; the last match counts
 * @param factor converts the number to the row's unit
 */
record Reading(Pattern pattern, double factor) {
    private static final String NUMBER = "([0-9.eE+-]+)";

    static Reading of(String regex, double factor) {
        return new Reading(Pattern.compile(regex), factor);
    }

    /** Finds {@code NAME=NUMBER}, the format of the limit programs and the Java programs. */
    static Reading field(String name, double factor) {
        return of("\\b" + name + "=" + NUMBER, factor);
    }

    /** Finds {@code "NAME":NUMBER} in a tool's JSON. */
    static Reading json(String name, double factor) {
        return of("\"" + name + "\":" + NUMBER, factor);
    }

    OptionalDouble in(String output) {
        Matcher matcher = pattern.matcher(output);
        OptionalDouble found = OptionalDouble.empty();
        while (matcher.find()) {
            found = OptionalDouble.of(Double.parseDouble(matcher.group(matcher.groupCount())) * factor);
        }
        return found;
    }
}
