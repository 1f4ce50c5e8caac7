package io.rdma4j.wire;

/**
 * Which kind of queue pair a packet is for: the upper three bits of an opcode (IBA 9.2.1), unless it is a manufacturer's
 * ({@link Opcode}).
 */
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

    private final int base;
    private final boolean reliable;

    TransportClass(int base, boolean reliable) {
        this.base = base;
        this.reliable = reliable;
    }

    /** {@return the opcode's upper three bits, in place; add the number of the operation} */
    public int base() {
        return base;
    }

    /** {@return true if the responder acknowledges} */
    public boolean isReliable() {
        return reliable;
    }
}
