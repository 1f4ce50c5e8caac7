// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.wire;

/** The position of a packet in its message. */
public enum Position {
    /** First of several packets. */
    FIRST("First"),
    /** Neither first nor last. */
    MIDDLE("Middle"),
    /** Last of several packets. */
    LAST("Last"),
    /** The only packet, first and last. */
    ONLY("Only"),
    /** The operation always has one packet, and the opcode's name has no position. */
    SINGLE("");

    private final String text;

    Position(String text) {
        this.text = text;
    }

    /** {@return the text within an opcode's name} */
    public String text() {
        return text;
    }

    /** {@return true for the packet that starts a message} */
    public boolean starts() {
        return this == FIRST || this == ONLY || this == SINGLE;
    }

    /** {@return true for the packet that ends a message} */
    public boolean ends() {
        return this == LAST || this == ONLY || this == SINGLE;
    }
}
