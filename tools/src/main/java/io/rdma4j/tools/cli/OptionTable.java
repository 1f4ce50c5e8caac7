// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.tools.cli;

import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/**
 * The options of a tool. Parses arguments by the rules of {@code getopt_long}.
 *
 * <p>Letters may be combined ({@code -et}). An argument is the rest of the word or the next word ({@code -s64}, {@code
 * -s 64}, {@code --size=64}, {@code --size 64}). Long names may be shortened to an unambiguous prefix. Options and
 * operands may be mixed, and {@code --} ends the options. The last occurrence of an option takes effect.
 */
public final class OptionTable {
    private final List<Option> options;

    /** Creates a table of these options and {@link Option#HELP}. */
    public OptionTable(Option... options) {
        this.options = Stream.concat(Stream.of(options), Stream.of(Option.HELP)).toList();
    }

    /**
     * @throws UsageException for an unknown or ambiguous option, a missing argument, or an argument of an option that
     *     takes none
     */
    public Options parse(String... words) {
        return new Parser(words).parse();
    }

    /** Prints a line for each option. */
    public void printHelp(PrintWriter out) {
        int width = options.stream()
                .mapToInt(option -> option.synopsis().length())
                .max()
                .orElse(0);
        for (Option option : options) {
            out.println("  " + option.synopsis()
                    + " ".repeat(width + 2 - option.synopsis().length()) + option.help());
        }
    }

    private Option find(char letter) {
        for (Option option : options) {
            if (option.letter() == letter) {
                return option;
            }
        }
        throw new UsageException("there is no option -" + letter);
    }

    private Option find(String name) {
        List<Option> candidates = new ArrayList<>();
        for (Option option : options) {
            if (option.name().equals(name)) {
                return option;
            }
            if (option.name().startsWith(name)) {
                candidates.add(option);
            }
        }
        if (candidates.size() == 1) {
            return candidates.getFirst();
        }
        if (candidates.isEmpty()) {
            List<String> names = options.stream().map(Option::name).toList();
            throw new UsageException("there is no option --" + name
                    + NearestName.of(name, names)
                            .map(near -> "; did you mean --" + near + "?")
                            .orElse(""));
        }
        throw new UsageException("--" + name + " may be "
                + String.join(
                        " or ",
                        candidates.stream().map(option -> "--" + option.name()).toList()));
    }

    private final class Parser {
        private final String[] words;
        private final Map<String, String> given = new HashMap<>();
        private final List<String> operands = new ArrayList<>();
        private int next;

        Parser(String[] words) {
            this.words = words;
        }

        Options parse() {
            while (next < words.length) {
                String word = words[next++];
                if (word.equals("--")) {
                    operands.addAll(List.of(words).subList(next, words.length));
                    break;
                } else if (word.startsWith("--")) {
                    longOption(word.substring(2));
                } else if (word.startsWith("-") && word.length() > 1) {
                    letters(word);
                } else {
                    operands.add(word);
                }
            }
            return new Options(given, operands);
        }

        private void longOption(String word) {
            int equals = word.indexOf('=');
            Option option = find(equals < 0 ? word : word.substring(0, equals));
            if (option.argument() != null) {
                given.put(option.name(), equals < 0 ? nextWord(option) : word.substring(equals + 1));
            } else if (equals < 0) {
                given.put(option.name(), "");
            } else {
                throw new UsageException("--" + option.name() + " takes no argument");
            }
        }

        private void letters(String word) {
            for (int i = 1; i < word.length(); i++) {
                Option option = find(word.charAt(i));
                if (option.argument() != null) {
                    given.put(option.name(), i + 1 < word.length() ? word.substring(i + 1) : nextWord(option));
                    return;
                }
                given.put(option.name(), "");
            }
        }

        private String nextWord(Option option) {
            if (next == words.length) {
                throw new UsageException(
                        "an argument is missing: " + option.synopsis().strip());
            }
            return words[next++];
        }
    }
}
