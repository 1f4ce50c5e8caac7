package io.rdma4j.control.command;

import java.io.PrintWriter;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SequencedMap;

/**
 * What a command shows of one thing, as text and as JSON at once, so that it is looked at once only ({@code json_print.c} of iproute2).
 * One thread.
 */
final class Report {
    private final StringBuilder text = new StringBuilder();
    private final SequencedMap<String, Object> members = new LinkedHashMap<>();

    /** Shows a value in both forms: behind {@code before} in the text, as {@code key} in JSON. */
    Report add(String before, String key, Object value) {
        return text(before).text(value.toString()).json(key, value);
    }

    /** Shows something in the text alone. */
    Report text(String more) {
        text.append(more);
        return this;
    }

    /** Shows something in JSON alone. */
    Report json(String key, Object value) {
        members.put(key, value);
        return this;
    }

    String text() {
        return text.toString();
    }

    Map<String, Object> members() {
        return members;
    }

    /** Prints all of them: one line or more each, or a list of JSON. */
    static void print(List<Report> reports, boolean json, PrintWriter out) {
        if (json) {
            out.println(Json.text(reports.stream().map(Report::members).toList()));
        } else {
            reports.forEach(report -> out.println(report.text));
        }
    }
}
