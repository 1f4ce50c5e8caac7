package io.rdma4j.control.command;

import java.util.List;

/** Reads the words of a command one after another. */
final class Arguments {
    private final List<String> words;
    private int next;

    Arguments(List<String> words) {
        this.words = words;
    }

    boolean hasNext() {
        return next < words.size();
    }

    /** The word that comes next, which stays; empty at the end. */
    String peek() {
        return hasNext() ? words.get(next) : "";
    }

    /**
     * The next word.
     *
     * @param what it is, for the message
     * @throws UsageException if there is none
     */
    String next(String what) {
        if (!hasNext()) {
            throw new UsageException(what + " is missing");
        }
        return words.get(next++);
    }

    /** Takes the next word if it is this one. */
    boolean take(String word) {
        boolean isThere = hasNext() && words.get(next).equals(word);
        if (isThere) {
            next++;
        }
        return isThere;
    }

    /** @throws UsageException if the next word is not this one */
    void expect(String word) {
        if (!take(word)) {
            throw new UsageException("\"" + word + "\" is missing" + (hasNext() ? " before \"" + peek() + "\"" : ""));
        }
    }

    /**
     * The next word, a number, 0x in front of a hexadecimal one.
     *
     * @throws UsageException if it is none, or not in the range
     */
    long number(String what, long least, long most) {
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

    /** All words that are left. */
    List<String> rest() {
        List<String> rest = words.subList(next, words.size());
        next = words.size();
        return rest;
    }

    /** @throws UsageException if there is one more word */
    void end() {
        if (hasNext()) {
            throw unknown();
        }
    }

    /** What to throw if the next word makes no sense. */
    UsageException unknown() {
        return new UsageException(hasNext() ? "\"" + peek() + "\" makes no sense here" : "there is a word missing");
    }
}
