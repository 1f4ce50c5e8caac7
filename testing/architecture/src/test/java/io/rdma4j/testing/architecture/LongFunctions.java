package io.rdma4j.testing.architecture;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * The functions that may be longer than the limit, with the length they have: lines {@code PATH#NAME LINES}.
 *
 * <p>A function that grows breaks the rule. So does one that shrinks or goes, until its line is taken along: the list can
 * only get shorter.
 */
record LongFunctions(Map<String, Integer> allowed) {
    static LongFunctions parse(String text) {
        Map<String, Integer> allowed = new TreeMap<>();
        text.lines().filter(line -> !line.isBlank() && !line.startsWith("#")).forEach(line -> {
            int space = line.lastIndexOf(' ');
            allowed.put(line.substring(0, space), Integer.valueOf(line.substring(space + 1)));
        });
        return new LongFunctions(allowed);
    }

    /** What is wrong, given the functions that are too long. */
    List<String> complaints(Map<String, Integer> found) {
        List<String> complaints = new ArrayList<>();
        found.forEach((function, lines) -> {
            Integer limit = allowed.getOrDefault(function, FunctionLength.LIMIT);
            if (lines > limit) {
                complaints.add(function + " has " + lines + " lines, more than " + limit + ": cut it");
            }
        });
        allowed.forEach((function, lines) -> {
            int now = found.getOrDefault(function, 0);
            if (now < lines) {
                String advice = now == 0 ? "take its line out" : "write " + now;
                complaints.add(function + " is shorter than the " + lines + " lines it is allowed: " + advice);
            }
        });
        return complaints;
    }
}
