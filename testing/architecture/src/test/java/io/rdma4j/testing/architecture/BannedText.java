package io.rdma4j.testing.architecture;

import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Text that must not stand in any file: lines {@code REGULAR-EXPRESSION<tab>WHY}.
 *
 * @param bans looked for anywhere in a line
 */
record BannedText(List<Ban> bans) {
    /** One pattern and what to do instead. */
    record Ban(Pattern pattern, String why) {}

    static BannedText parse(String text) {
        return new BannedText(text.lines()
                .filter(line -> !line.isBlank() && !line.startsWith("#"))
                .map(line -> new Ban(
                        Pattern.compile(line.substring(0, line.indexOf('\t'))), line.substring(line.indexOf('\t') + 1)))
                .toList());
    }

    /** A line for each place where a file has what it must not have. */
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
