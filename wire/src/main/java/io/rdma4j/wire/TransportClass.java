// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.wire;

/**
 * The transport service of a packet: the upper three bits of an opcode (IBA 9.2.1), unless it is manufacturer-specific
 * ({@link Opcode}).
 */
public enum TransportClass {
    /** Reliable connection. */
    RC(0x00, true),
    /** Unreliable connection. */
    UC(0x20, false),
    /** Reliable datagram; not implemented anywhere, and without opcodes here. */
    RD(0x40, true),
    /** Unreliable datagram. */
    UD(0x60, false),
    /** Congestion notification; not for a work queue. */
    CNP(0x80, false),
    /** Extended reliable connection. */
    XRC(0xA0, true);

    private final int base;
    private final boolean reliable;

    TransportClass(int base, boolean reliable) {
        this.base = base;
        this.reliable = reliable;
    }

    /** {@return the opcode bits of the class, in place; the number of the operation is added} */
    public int base() {
        return base;
    }

    /** {@return true if the responder acknowledges} */
    public boolean isReliable() {
        return reliable;
    }
}
