package io.rdma4j.wire;

import org.jspecify.annotations.Nullable;

/** The upper three bits of an opcode: which kind of queue pair a packet is for (IBA 9.2.1). */
public enum TransportClass {
    /** Reliable connection. */
    RC(0x00, true),
    /** Unreliable connection. */
    UC(0x20, false),
    /** Reliable datagram. Nobody implements it and the table has no opcode of it. */
    RD(0x40, true),
    /** Unreliable datagram. */
    UD(0x60, false),
    /** Congestion notification, which is for no queue pair's work queue. */
    CNP(0x80, false),
    /** Extended reliable connection. */
    XRC(0xA0, true);

    private static final int SHIFT = 5;
    private static final TransportClass[] BY_BITS = values();

    private final int base;
    private final boolean reliable;

    TransportClass(int base, boolean reliable) {
        this.base = base;
        this.reliable = reliable;
    }

    /** The opcode's upper three bits, in place; add the number of the operation. */
    public int base() {
        return base;
    }

    /** True if the responder acknowledges. */
    public boolean isReliable() {
        return reliable;
    }

    /** The class of an opcode of 8 bits, known or not; null for reserved and vendors' classes (0xC0, 0xE0). */
    public static @Nullable TransportClass of(int opcode) {
        int bits = (opcode & 0xFF) >>> SHIFT;
        return bits < BY_BITS.length ? BY_BITS[bits] : null;
    }
}
