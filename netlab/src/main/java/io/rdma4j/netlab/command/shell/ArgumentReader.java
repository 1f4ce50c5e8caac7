// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.netlab.command.shell;

import java.util.List;

/** Reads the words of a command in order. */
public final class ArgumentReader {
    private final List<String> words;
    private int next;

    public ArgumentReader(List<String> words) {
        this.words = words;
    }

    public boolean hasNext() {
        return next < words.size();
    }

    /** Returns the next word without consuming it; empty at the end. */
    public String peek() {
        return hasNext() ? words.get(next) : "";
    }

    /**
     * Reads the next word.
     *
     * @param what description of the word, for the message
     * @throws UsageException if there is none
     */
    public String next(String what) {
        if (!hasNext()) {
            throw new UsageException(what + " is missing");
        }
        return words.get(next++);
    }

    /** Consumes the next word if it is one of these. */
    public boolean take(String... any) {
        boolean isThere = hasNext() && List.of(any).contains(words.get(next));
        if (isThere) {
            next++;
        }
        return isThere;
    }

    /** @throws UsageException if the next word is not this one */
    public void expect(String word) {
        if (!take(word)) {
            throw new UsageException("\"" + word + "\" is missing" + (hasNext() ? " before \"" + peek() + "\"" : ""));
        }
    }

    /**
     * Reads a number; {@code 0x} precedes a hexadecimal one.
     *
     * @throws UsageException if the word is not a number or not in the range
     */
    public long number(String what, long least, long most) {
        String word = next(what);
        try {
            long value = Long.decode(word);
            if (value >= least && value <= most) {
                return value;
            }
        } catch (NumberFormatException e) {
            throw new UsageException(what + " \"" + word + "\" is no number");
        }
        throw new UsageException(what + " " + word + " is not in " + least + ".." + most);
    }

    /** Reads a non-negative {@code int}. */
    public int count(String what) {
        return (int) number(what, 0, Integer.MAX_VALUE);
    }

    /**
     * Reads a switch.
     *
     * @throws UsageException if the word is neither {@code on} nor {@code off}
     */
    public boolean onOff(String what) {
        String word = next("on or off behind \"" + what + "\"");
        return switch (word) {
            case "on" -> true;
            case "off" -> false;
            default -> throw wrong(word, "\"" + what + "\" must be \"on\" or \"off\"");
        };
    }

    /**
     * Reads a keyword, which may be abbreviated: returns the first keyword that begins with the word.
     *
     * @param absent result if no word is left
     */
    public String keyword(String what, String absent, List<String> all) {
        if (!hasNext()) {
            return absent;
        }
        String word = next(what);
        for (String one : all) {
            if (one.startsWith(word)) {
                return one;
            }
        }
        throw new UsageException(what + " \"" + word + "\" is unknown; there is " + String.join(", ", all));
    }

    /** Reads all remaining words. */
    public List<String> rest() {
        List<String> rest = words.subList(next, words.size());
        next = words.size();
        return rest;
    }

    /** @throws UsageException if a word is left */
    public void end() {
        if (hasNext()) {
            throw unknown();
        }
    }

    /** Creates the exception for an unexpected next word. */
    public UsageException unknown() {
        return new UsageException(hasNext() ? "\"" + peek() + "\" makes no sense here" : "there is a word missing");
    }

    /** Creates the exception for an unknown word. */
    public static UsageException garbage(String word) {
        return new UsageException("Error: \"" + word + "\" is a garbage.");
    }

    /** Creates the exception for an invalid value. */
    public static UsageException wrong(String word, String why) {
        return new UsageException("Error: argument \"" + word + "\" is wrong: " + why);
    }
}
