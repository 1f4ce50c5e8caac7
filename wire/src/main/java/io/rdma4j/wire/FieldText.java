// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.wire;

/** Collects fields as {@code name value} words in one line. Allocates. */
public final class FieldText implements FieldSink {
    private final StringBuilder line;

    /**
     * Creates a line without fields.
     *
     * @param start first word of the line
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
     * {@return the text of {@link FieldSink#hex}: {@code 0x}, then at least {@code digits} digits}
     *
     * @param value taken as unsigned
     * @param digits minimum number of digits, with leading zeros
     */
    public static String toHex(long value, int digits) {
        String hex = Long.toHexString(value);
        return "0x" + "0".repeat(Math.max(0, digits - hex.length())) + hex;
    }

    /** {@return the line so far} */
    @Override
    public String toString() {
        return line.toString();
    }
}
