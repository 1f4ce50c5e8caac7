// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.netlab.command.shell;

import java.util.Iterator;
import java.util.List;
import java.util.Map;

/** Writes JSON (RFC 8259) on one line. */
public final class Json {
    private final StringBuilder text = new StringBuilder();

    private Json() {}

    /**
     * {@return a value as JSON}
     *
     * @param value a map, iterable, number or boolean, nested to any depth; other values and all map keys become text
     */
    public static String text(Object value) {
        Json json = new Json();
        json.add(value);
        return json.text.toString();
    }

    /**
     * {@return a list of flat objects as JSON, one member on each line like {@code iproute2}}
     *
     * @param objects objects with values as for {@link #text}
     */
    public static String pretty(List<? extends Map<String, ?>> objects) {
        if (objects.isEmpty()) {
            return "[ ]";
        }
        StringBuilder text = new StringBuilder("[ ");
        String separator = "";
        for (Map<String, ?> object : objects) {
            text.append(separator).append('{');
            String comma = "";
            for (Map.Entry<String, ?> member : object.entrySet()) {
                text.append(comma)
                        .append("\n        ")
                        .append(text(member.getKey()))
                        .append(": ");
                text.append(text(member.getValue()));
                comma = ",";
            }
            text.append("\n    }");
            separator = ",";
        }
        return text.append(" ]").toString();
    }

    private void add(Object value) {
        switch (value) {
            case Map<?, ?> map -> addObject(map);
            case Iterable<?> list -> addArray(list);
            case Number number -> text.append(number);
            case Boolean flag -> text.append(flag);
            default -> addText(value.toString());
        }
    }

    private void addObject(Map<?, ?> map) {
        text.append('{');
        String separator = "";
        for (Map.Entry<?, ?> member : map.entrySet()) {
            text.append(separator);
            addText(member.getKey().toString());
            text.append(':');
            add(member.getValue());
            separator = ",";
        }
        text.append('}');
    }

    private void addArray(Iterable<?> list) {
        text.append('[');
        for (Iterator<?> i = list.iterator(); i.hasNext(); ) {
            add(i.next());
            if (i.hasNext()) {
                text.append(',');
            }
        }
        text.append(']');
    }

    private void addText(String value) {
        text.append('"');
        for (int i = 0; i < value.length(); i++) {
            char c = value.charAt(i);
            if (c < ' ') {
                text.append(String.format("\\u%04x", (int) c));
            } else if (c == '"' || c == '\\') {
                text.append('\\').append(c);
            } else {
                text.append(c);
            }
        }
        text.append('"');
    }
}
