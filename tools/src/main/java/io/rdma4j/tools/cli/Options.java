// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.tools.cli;

import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Parsed arguments: options by their long names, and operands. */
public final class Options {
    private final Map<String, String> given;
    private final List<String> operands;

    Options(Map<String, String> given, List<String> operands) {
        this.given = Map.copyOf(given);
        this.operands = List.copyOf(operands);
    }

    /** True if the option was given. */
    public boolean has(String name) {
        return given.containsKey(name);
    }

    /** The option's argument; null if it was not given. */
    @Nullable
    public String text(String name) {
        return given.get(name);
    }

    /**
     * Returns the option's argument as a number: decimal, {@code 0x} hexadecimal or {@code 0} octal, as {@code strtol}
     * reads it.
     *
     * @param absent the value if the option was not given
     * @throws UsageException if it is not a number, which {@code strtol} reads as 0, or not in {@code min..max}
     */
    public int number(String name, int absent, int min, int max) {
        String text = given.get(name);
        if (text == null) {
            return absent;
        }
        long value;
        try {
            value = Long.decode(text);
        } catch (NumberFormatException _) {
            throw new UsageException("--" + name + "=" + text + " is not a number");
        }
        if (value < min || value > max) {
            throw new UsageException("--" + name + "=" + text + " is not in " + min + ".." + max);
        }
        return (int) value;
    }

    /** Returns the arguments that are not options. */
    public List<String> operands() {
        return operands;
    }
}
