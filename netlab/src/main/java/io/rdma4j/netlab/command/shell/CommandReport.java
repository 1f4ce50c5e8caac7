// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.netlab.command.shell;

import java.io.PrintWriter;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SequencedMap;

/**
 * Builds the output of a command for one object, as text and as JSON ({@code json_print.c} of iproute2). One thread.
 */
public final class CommandReport {
    private final StringBuilder text = new StringBuilder();
    private final SequencedMap<String, Object> members = new LinkedHashMap<>();

    /** Adds a value to both forms: after {@code before} in the text, as {@code key} in JSON. */
    public CommandReport add(String before, String key, Object value) {
        return text(before).text(value.toString()).json(key, value);
    }

    /** Adds text only. */
    public CommandReport text(String more) {
        text.append(more);
        return this;
    }

    /** Adds a JSON member only. */
    public CommandReport json(String key, Object value) {
        members.put(key, value);
        return this;
    }

    public String text() {
        return text.toString();
    }

    public Map<String, Object> members() {
        return members;
    }

    /** Prints all reports: as lines of text, or as one JSON list. */
    public static void print(List<CommandReport> reports, boolean json, PrintWriter out) {
        if (json) {
            out.println(Json.text(reports.stream().map(CommandReport::members).toList()));
        } else {
            reports.forEach(report -> out.println(report.text));
        }
    }
}
