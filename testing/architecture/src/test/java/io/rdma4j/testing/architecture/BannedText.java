// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.testing.architecture;

import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Text that no file may contain: lines {@code REGULAR-EXPRESSION<tab>WHY}.
 *
 * @param bans patterns, searched anywhere in a line
 */
record BannedText(List<Ban> bans) {
    /** One pattern and the reason, with the alternative. */
    record Ban(Pattern pattern, String why) {}

    static BannedText parse(String text) {
        return new BannedText(text.lines()
                .filter(line -> !line.isBlank() && !line.startsWith("#"))
                .map(line -> new Ban(
                        Pattern.compile(line.substring(0, line.indexOf('\t'))), line.substring(line.indexOf('\t') + 1)))
                .toList());
    }

    /** Returns a line for each match in a file. */
    List<String> complaints(String path, String text) {
        List<String> complaints = new ArrayList<>();
        for (Ban ban : bans) {
            Matcher matcher = ban.pattern().matcher(text);
            while (matcher.find()) {
                long line = text.substring(0, matcher.start())
                                .chars()
                                .filter(c -> c == '\n')
                                .count()
                        + 1;
                complaints.add(path + ":" + line + ": " + matcher.group().strip() + ": " + ban.why());
            }
        }
        return complaints;
    }
}
