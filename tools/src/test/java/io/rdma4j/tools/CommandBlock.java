// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.tools;

import java.util.ArrayList;
import java.util.List;

/**
 * A command line and its expected output. An expected line that begins with {@code ~} is a regular expression for a
 * whole line; {@code ...} matches any number of lines.
 *
 * @param command the line as a user types it
 * @param expected the lines that it prints
 */
record CommandBlock(String command, List<String> expected) {
    private static final String PROMPT = "$ ";
    private static final String ANY_LINES = "...";

    /**
     * Parses blocks: a line {@code $ COMMAND}, then its output. Ignores lines that begin with {@code #}, and empty
     * lines at the end of a block.
     */
    static List<CommandBlock> parse(List<String> lines) {
        List<CommandBlock> blocks = new ArrayList<>();
        for (String line : lines) {
            if (line.startsWith(PROMPT)) {
                blocks.add(new CommandBlock(line.substring(PROMPT.length()), new ArrayList<>()));
            } else if (!line.startsWith("#") && !blocks.isEmpty()) {
                blocks.getLast().expected.add(line);
            }
        }
        blocks.forEach(block -> trim(block.expected));
        return blocks;
    }

    private static void trim(List<String> lines) {
        while (!lines.isEmpty() && lines.getLast().isBlank()) {
            lines.removeLast();
        }
    }

    /** True if these lines match the expected output; blanks at the end of a line are ignored. */
    boolean isAnsweredBy(List<String> printed) {
        List<String> found =
                new ArrayList<>(printed.stream().map(String::stripTrailing).toList());
        trim(found);
        return matches(expected, found);
    }

    private static boolean matches(List<String> wanted, List<String> found) {
        if (wanted.isEmpty()) {
            return found.isEmpty();
        }
        String first = wanted.getFirst();
        List<String> rest = wanted.subList(1, wanted.size());
        if (first.equals(ANY_LINES)) {
            return matches(rest, found) || !found.isEmpty() && matches(wanted, found.subList(1, found.size()));
        }
        return !found.isEmpty() && matches(first, found.getFirst()) && matches(rest, found.subList(1, found.size()));
    }

    private static boolean matches(String wanted, String found) {
        return wanted.startsWith("~") ? found.matches(wanted.substring(1)) : found.equals(wanted);
    }
}
