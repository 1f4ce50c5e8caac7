package io.rdma4j.wire;

/** Collects fields as {@code name value} words in one line. Allocates. */
public final class FieldText implements FieldSink {
    private final StringBuilder line;

    /** @param start what the line starts with */
    public FieldText(String start) {
        line = new StringBuilder(start);
    }

    @Override
    public void decimal(String name, long value) {
        line.append(' ').append(name).append(' ').append(value);
    }

    @Override
    public void hex(String name, long value, int digits) {
        String hex = Long.toHexString(value);
        line.append(' ')
                .append(name)
                .append(" 0x")
                .repeat('0', Math.max(0, digits - hex.length()))
                .append(hex);
    }

    @Override
    public void text(String name, String value) {
        line.append(' ').append(name).append(' ').append(value);
    }

    /** The line so far. */
    @Override
    public String toString() {
        return line.toString();
    }
}
