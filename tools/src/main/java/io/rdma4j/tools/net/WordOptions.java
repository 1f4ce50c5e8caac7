// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.tools.net;

import io.rdma4j.tools.cli.UsageException;
import java.util.List;

/** Options among the words of a command line, as {@code --option VALUE} or {@code --option=VALUE}. */
final class WordOptions {
    private WordOptions() {}

    /**
     * Removes an option, and returns its value.
     *
     * @param otherwise what is returned without the option
     */
    static String take(List<String> words, String option, String otherwise) {
        for (int i = 0; i < words.size(); i++) {
            if (option.startsWith("--") && words.get(i).startsWith(option + "=")) {
                return words.remove(i).substring(option.length() + 1);
            }
        }
        int at = words.indexOf(option);
        if (at < 0) {
            return otherwise;
        }
        if (at == words.size() - 1) {
            throw new UsageException("'" + option + "' wants a value");
        }
        String value = words.get(at + 1);
        words.subList(at, at + 2).clear();
        return value;
    }
}
