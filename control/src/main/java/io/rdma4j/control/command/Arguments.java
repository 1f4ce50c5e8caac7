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

    /** Takes the next word if it is one of these. */
    boolean take(String... any) {
        boolean isThere = hasNext() && List.of(any).contains(words.get(next));
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

    /** The next word, a number that {@code int} has room for and is not negative. */
    int count(String what) {
        return (int) number(what, 0, Integer.MAX_VALUE);
    }

    /**
     * The next word, a switch.
     *
     * @throws UsageException for anything but {@code on} and {@code off}
     */
    boolean onOff(String what) {
        String word = next("on or off behind \"" + what + "\"");
        return switch (word) {
            case "on" -> true;
            case "off" -> false;
            default -> throw wrong(word, "\"" + what + "\" must be \"on\" or \"off\"");
        };
    }

    /**
     * The next word, which may be the beginning of one of those that there are: it means the first that begins so.
     *
     * @param absent what is meant if no word is left
     */
    String keyword(String what, String absent, List<String> all) {
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

    /** What to throw for a word that nobody knows what to do with. */
    static UsageException garbage(String word) {
        return new UsageException("Error: \"" + word + "\" is a garbage.");
    }

    /** What to throw for a word that cannot be what it stands for. */
    static UsageException wrong(String word, String why) {
        return new UsageException("Error: argument \"" + word + "\" is wrong: " + why);
    }
}
