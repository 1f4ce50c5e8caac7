// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.tools;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/** Collects attributes of a device or a port for both output formats: lines with aligned values, and JSON members. */
final class DevinfoSection {
    private static final int TAB = 8;

    private final String indent;
    private final int valueColumn;
    private final List<String> lines = new ArrayList<>();
    private final Map<String, Object> members = new LinkedHashMap<>();

    private DevinfoSection(int indent, int valueColumn) {
        this.indent = "\t".repeat(indent);
        this.valueColumn = valueColumn;
    }

    static DevinfoSection ofDevice() {
        return new DevinfoSection(1, 40);
    }

    static DevinfoSection ofPort() {
        return new DevinfoSection(3, 48);
    }

    List<String> lines() {
        return lines;
    }

    Map<String, Object> members() {
        return members;
    }

    void text(String label, String value) {
        add(label, value, value);
    }

    void number(String label, long value) {
        add(label, Long.toString(value), value);
    }

    /** @param format printf format of the text output; JSON contains a number */
    void formatted(String label, String format, long value) {
        add(label, String.format(Locale.ROOT, format, value), value);
    }

    /** Adds a constant of an enumeration, with its number in the text output and without it in JSON. */
    void coded(String label, Object name, int code) {
        add(label, name + " (" + code + ")", name);
    }

    /** Adds a line to the text output only. */
    void line(String line) {
        lines.add(line);
    }

    /** Adds a member to JSON only. */
    void member(String name, Object value) {
        members.put(name, value);
    }

    private void add(String label, String printed, Object value) {
        int column = indent.length() * TAB + label.length() + 1;
        int tabs = Math.max(1, (valueColumn - column + TAB - 1) / TAB);
        lines.add(indent + label + ":" + "\t".repeat(tabs) + printed);
        members.put(label, value);
    }
}
