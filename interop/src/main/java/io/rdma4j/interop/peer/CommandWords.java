// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.interop.peer;

import io.rdma4j.base.Errno;
import io.rdma4j.base.RdmaException;
import java.util.HashMap;
import java.util.Map;

/** The words after the first one of a command or a reply: {@code NAME=VALUE}, separated by spaces. */
public final class CommandWords {
    private final Map<String, String> values = new HashMap<>();

    private CommandWords() {}

    static CommandWords parse(String line) {
        CommandWords words = new CommandWords();
        for (String word : line.strip().split(" +", -1)) {
            int equals = word.indexOf('=');
            if (equals > 0) {
                words.values.put(word.substring(0, equals), word.substring(equals + 1));
            }
        }
        return words;
    }

    /** @throws RdmaException EINVAL if there is no such word */
    public String text(String name) {
        String value = values.get(name);
        if (value == null) {
            throw new RdmaException(Errno.EINVAL, "there is no " + name + "= in " + values);
        }
        return value;
    }

    /** Returns a signed number, or an unsigned one of 64 bits. */
    public long number(String name) {
        String value = text(name);
        return value.startsWith("-") ? Long.parseLong(value) : Long.parseUnsignedLong(value);
    }

    /** Returns a number of up to 32 bits. */
    public int integer(String name) {
        return (int) number(name);
    }

    /** Returns a number, or 0 if there is no such word. */
    long numberOrZero(String name) {
        return values.containsKey(name) ? number(name) : 0;
    }

    @Override
    public String toString() {
        return values.toString();
    }
}
