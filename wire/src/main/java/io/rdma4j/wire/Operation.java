// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.wire;

/** The operation of a packet, independent of its position in the message and its transport class. */
public enum Operation {
    /** Data for a receive work request. */
    SEND("SEND"),
    /** Data for remote memory. */
    WRITE("RDMA WRITE"),
    /** Requests data from remote memory. */
    READ_REQUEST("RDMA READ Request"),
    /** Data from remote memory; an empty response completes FLUSH and ATOMIC WRITE. */
    READ_RESPONSE("RDMA READ Response"),
    /** ACK, RNR NAK or NAK, according to the {@link Syndrome}. */
    ACKNOWLEDGE("Acknowledge"),
    /** The value before an atomic operation. */
    ATOMIC_ACKNOWLEDGE("ATOMIC Acknowledge"),
    /** Replaces eight bytes if they have the expected value. */
    COMPARE_SWAP("Compare Swap"),
    /** Adds to eight bytes. */
    FETCH_ADD("Fetch Add"),
    /** Compares some bits of eight bytes and replaces some if they have the expected value. */
    MASKED_COMPARE_SWAP("Masked Compare Swap"),
    /** Adds to each of several fields within eight bytes. */
    MASKED_FETCH_ADD("Masked Fetch Add"),
    /** Makes earlier WRITEs visible or persistent. */
    FLUSH("FLUSH"),
    /** Writes eight bytes atomically. */
    ATOMIC_WRITE("ATOMIC WRITE"),
    /** Notifies the sender of a flow that its packets met congestion. */
    CONGESTION_NOTIFICATION("CNP");

    private final String text;

    Operation(String text) {
        this.text = text;
    }

    /** {@return true if the specification does not define it, so that both peers must support it} */
    public boolean isManufacturerSpecific() {
        return this == MASKED_COMPARE_SWAP || this == MASKED_FETCH_ADD;
    }

    /** {@return the text within an opcode's name} */
    public String text() {
        return text;
    }
}
