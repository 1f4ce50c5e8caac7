// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.tools.cli;

import org.jspecify.annotations.Nullable;

/**
 * An option of a tool.
 *
 * @param letter short form; {@link #NO_LETTER} if it has none
 * @param name long form, without dashes
 * @param argument name of its argument in the help; null if it takes none
 * @param help one line
 */
public record Option(char letter, String name, @Nullable String argument, String help) {
    /** Letter of an option that has a long form only. */
    public static final char NO_LETTER = 0;

    /** The help option, which every tool has. */
    public static final Option HELP = flag('h', "help", "show this help");
    /** The option of tools whose results other programs may read. */
    public static final Option JSON = flag(NO_LETTER, "json", "print one JSON document instead");

    /** Creates an option without argument. */
    public static Option flag(char letter, String name, String help) {
        return new Option(letter, name, null, help);
    }

    /** Creates an option that takes an argument. */
    public static Option value(char letter, String name, String argument, String help) {
        return new Option(letter, name, argument, help);
    }

    /** Format of help and messages: {@code -p, --port=<port>}. */
    String synopsis() {
        String longForm = "--" + name + (argument == null ? "" : "=<" + argument + ">");
        return (letter == NO_LETTER ? "    " : "-" + letter + ", ") + longForm;
    }
}
