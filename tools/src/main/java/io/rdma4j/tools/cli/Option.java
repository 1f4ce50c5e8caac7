package io.rdma4j.tools.cli;

import org.jspecify.annotations.Nullable;

/**
 * An option of a tool.
 *
 * @param letter its short form, {@link #NO_LETTER} if it has none
 * @param name its long form, without dashes
 * @param argument what the help calls its argument; null if it takes none
 * @param help one line
 */
public record Option(char letter, String name, @Nullable String argument, String help) {
    /** Of an option that has a long form only. */
    public static final char NO_LETTER = 0;

    /** Every tool has it. */
    public static final Option HELP = flag('h', "help", "show this help");
    /** For tools whose results other programs may want to read. */
    public static final Option JSON = flag(NO_LETTER, "json", "print one JSON document instead");

    /** An option without argument. */
    public static Option flag(char letter, String name, String help) {
        return new Option(letter, name, null, help);
    }

    /** An option that takes an argument. */
    public static Option value(char letter, String name, String argument, String help) {
        return new Option(letter, name, argument, help);
    }

    /** As help and messages show it: {@code -p, --port=<port>}. */
    String synopsis() {
        String longForm = "--" + name + (argument == null ? "" : "=<" + argument + ">");
        return (letter == NO_LETTER ? "    " : "-" + letter + ", ") + longForm;
    }
}
