// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.tools.report;

import java.util.List;
import java.util.stream.Collectors;

/**
 * A table of texts.
 *
 * @param title of the table; may be empty
 * @param headers of the columns
 * @param rows with as many cells each
 */
public record Table(String title, List<String> headers, List<List<String>> rows) implements ReportBlock {
    @Override
    public String html() {
        String heading = title.isEmpty() ? "" : "<h2>" + HtmlReport.escape(title) + "</h2>\n";
        return heading + "<div class=\"table\"><table>\n<thead>" + row("th", headers) + "</thead>\n<tbody>\n"
                + rows.stream().map(cells -> row("td", cells)).collect(Collectors.joining("\n"))
                + "\n</tbody></table></div>\n";
    }

    private static String row(String cell, List<String> cells) {
        return cells.stream()
                .map(text -> "<" + cell + ">" + HtmlReport.escape(text) + "</" + cell + ">")
                .collect(Collectors.joining("", "<tr>", "</tr>"));
    }
}
