// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.bench.rivals;

import java.util.List;
import java.util.OptionalDouble;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Finds the result in a program's output.
 *
 * @param pattern its last group is the number; the last match counts
 * @param tail the same for the 99th and the 99.9th percentile; empty if the program does not print them
 * @param factor converts the numbers to the row's unit
 */
record Reading(Pattern pattern, List<Pattern> tail, double factor) {
    private static final String NUMBER = "([0-9.eE+-]+)";

    static Reading of(String regex, double factor) {
        return new Reading(Pattern.compile(regex), List.of(), factor);
    }

    /** Finds {@code NAME=NUMBER}, the format of the limit programs and the Java programs. */
    static Reading field(String name, double factor) {
        return of(fieldRegex(name), factor);
    }

    /** Finds median and percentiles in the format of the limit programs and the Java programs, in microseconds. */
    static Reading times() {
        return new Reading(
                Pattern.compile(fieldRegex("p50_us")),
                List.of(Pattern.compile(fieldRegex("p99_us")), Pattern.compile(fieldRegex("p999_us"))),
                1);
    }

    private static String fieldRegex(String name) {
        return "\\b" + name + "=" + NUMBER;
    }

    /** Finds {@code "NAME":NUMBER} in a tool's JSON. */
    static Reading json(String name, double factor) {
        return of(jsonRegex(name), factor);
    }

    /** Finds the median and the percentiles in the JSON of a latency test. */
    static Reading jsonTimes(double factor) {
        return new Reading(
                Pattern.compile(jsonRegex("t_typical")),
                List.of(Pattern.compile(jsonRegex("99.0")), Pattern.compile(jsonRegex("99.9"))),
                factor);
    }

    private static String jsonRegex(String name) {
        return "\"" + Pattern.quote(name) + "\":" + NUMBER;
    }

    OptionalDouble in(String output) {
        return last(pattern, output);
    }

    /** Returns the two percentiles; NaN if the program does not print them. */
    Tail tailIn(String output) {
        return tail.isEmpty()
                ? Tail.NONE
                : new Tail(
                        last(tail.getFirst(), output).orElse(Double.NaN),
                        last(tail.getLast(), output).orElse(Double.NaN));
    }

    private OptionalDouble last(Pattern wanted, String output) {
        Matcher matcher = wanted.matcher(output);
        OptionalDouble found = OptionalDouble.empty();
        while (matcher.find()) {
            found = OptionalDouble.of(Double.parseDouble(matcher.group(matcher.groupCount())) * factor);
        }
        return found;
    }
}
