// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.testing.ledger;

import java.util.ArrayList;
import java.util.List;

/** Comma-separated values as in RFC 4180: a field may be quoted, a quote inside is doubled; lines end with LF. */
final class Csv {
    private final String text;
    private int at;

    private Csv(String text) {
        this.text = text;
    }

    /**
     * Returns the records below the header.
     *
     * @throws IllegalArgumentException if the header differs, or a record has another number of fields
     */
    static List<List<String>> parse(String text, List<String> header) {
        Csv csv = new Csv(text);
        List<List<String>> records = new ArrayList<>();
        while (csv.at < text.length()) {
            List<String> line = csv.line();
            if (line.size() != header.size()) {
                throw new IllegalArgumentException("expected the fields " + header + " but found " + line);
            }
            records.add(line);
        }
        if (records.isEmpty() || !records.getFirst().equals(header)) {
            throw new IllegalArgumentException("expected the header " + header);
        }
        return records.subList(1, records.size());
    }

    private List<String> line() {
        List<String> fields = new ArrayList<>();
        do {
            fields.add(field());
        } while (at < text.length() && text.charAt(at++) == ',');
        return fields;
    }

    private String field() {
        if (at < text.length() && text.charAt(at) == '"') {
            at++;
            return quoted();
        }
        int from = at;
        while (at < text.length() && text.charAt(at) != ',' && text.charAt(at) != '\n') {
            at++;
        }
        return text.substring(from, at);
    }

    private String quoted() {
        StringBuilder field = new StringBuilder();
        while (true) {
            int quote = text.indexOf('"', at);
            if (quote < 0) {
                throw new IllegalArgumentException("a quoted field is not closed: " + text.substring(at));
            }
            field.append(text, at, quote);
            at = quote + 1;
            if (at == text.length() || text.charAt(at) != '"') {
                return field.toString();
            }
            field.append('"');
            at++;
        }
    }
}
