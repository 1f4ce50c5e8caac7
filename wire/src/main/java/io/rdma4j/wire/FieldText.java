package io.rdma4j.wire;

/** Collects fields as {@code name value} words in one line. Allocates. */
public final class FieldText implements FieldSink {
    private final StringBuilder line;

    /**
     * A line without fields.
     *
     * @param start what the line starts with
     */
    public FieldText(String start) {
        line = new StringBuilder(start);
    }

    @Override
    public void decimal(String name, long value) {
        line.append(' ').append(name).append(' ').append(value);
    }

    @Override
    public void hex(String name, long value, int digits) {
        text(name, toHex(value, digits));
    }

    @Override
    public void text(String name, String value) {
        line.append(' ').append(name).append(' ').append(value);
    }

    /**
     * {@return a number as {@link FieldSink#hex} wants it: {@code 0x}, then at least {@code digits} digits}
     *
     * @param value taken as unsigned
     * @param digits at least so many; zeros in front
     */
    public static String toHex(long value, int digits) {
        String hex = Long.toHexString(value);
        return "0x" + "0".repeat(Math.max(0, digits - hex.length())) + hex;
    }

    /** The line so far. */
    @Override
    public String toString() {
        return line.toString();
    }
}
