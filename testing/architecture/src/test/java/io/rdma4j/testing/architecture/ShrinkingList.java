// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.testing.architecture;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.ToIntFunction;

/**
 * Names that may exceed a limit, with their current size: lines {@code NAME SIZE}.
 *
 * <p>A larger size is a violation. A smaller size, or a name that does not exist any more, is a violation until its
 * line is changed. So the list can only shrink.
 *
 * @param allowed sizes by name
 * @param limit limit of each name that is not in the list
 */
record ShrinkingList(Map<String, Integer> allowed, ToIntFunction<String> limit) {
    static ShrinkingList parse(String text, ToIntFunction<String> limit) {
        Map<String, Integer> allowed = new TreeMap<>();
        text.lines().filter(line -> !line.isBlank() && !line.startsWith("#")).forEach(line -> {
            int space = line.lastIndexOf(' ');
            allowed.put(line.substring(0, space), Integer.valueOf(line.substring(space + 1)));
        });
        return new ShrinkingList(allowed, limit);
    }

    /**
     * {@return the violations}
     *
     * @param found sizes by name; sizes within the limit may be omitted
     */
    List<String> complaints(Map<String, Integer> found) {
        List<String> complaints = new ArrayList<>();
        found.forEach((name, size) -> {
            int most = allowed.getOrDefault(name, limit.applyAsInt(name));
            if (size > most) {
                complaints.add(name + " has " + size + ", more than " + most + ": divide it");
            }
        });
        allowed.forEach((name, size) -> {
            int now = found.getOrDefault(name, 0);
            if (now < size) {
                String advice = now <= limit.applyAsInt(name) ? "remove its line" : "write " + now;
                complaints.add(name + " has less than the " + size + " that it is allowed: " + advice);
            }
        });
        return complaints;
    }
}
