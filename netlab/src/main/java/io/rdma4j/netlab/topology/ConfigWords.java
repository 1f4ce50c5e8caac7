// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.netlab.topology;

import java.util.ArrayList;
import java.util.List;

/**
 * Splits a line into words like a shell. Whitespace separates words, quotation marks group characters, and {@code #} at
 * the start of a word begins a comment.
 */
public final class ConfigWords {
    private ConfigWords() {}

    /**
     * Splits a line into words.
     *
     * @param line line without its end
     * @return the words without quotation marks
     * @throws IllegalArgumentException if a quotation mark is not closed
     */
    public static List<String> split(String line) {
        List<String> words = new ArrayList<>();
        StringBuilder word = new StringBuilder();
        boolean inWord = false;
        char quote = 0;
        for (int i = 0; i < line.length(); i++) {
            char c = line.charAt(i);
            if (quote != 0) {
                if (c == quote) {
                    quote = 0;
                } else {
                    word.append(c);
                }
            } else if (c == '"' || c == '\'') {
                quote = c;
                inWord = true;
            } else if (Character.isWhitespace(c)) {
                if (inWord) {
                    words.add(word.toString());
                    word.setLength(0);
                    inWord = false;
                }
            } else if (c == '#' && !inWord) {
                break;
            } else {
                word.append(c);
                inWord = true;
            }
        }
        if (quote != 0) {
            throw new IllegalArgumentException("a quotation does not end");
        }
        if (inWord) {
            words.add(word.toString());
        }
        return words;
    }
}
