package io.rdma4j.wire;

/** What a packet does, whatever its place in the message and its transport class. */
public enum Operation {
    /** Data for a receive work request. */
    SEND("SEND"),
    /** Data for remote memory. */
    WRITE("RDMA WRITE"),
    /** Asks for remote memory. */
    READ_REQUEST("RDMA READ Request"),
    /** Brings remote memory; an empty one answers FLUSH and ATOMIC WRITE. */
    READ_RESPONSE("RDMA READ Response"),
    /** ACK, RNR NAK or NAK, by {@link Syndrome}. */
    ACKNOWLEDGE("Acknowledge"),
    /** Brings the value from before an atomic. */
    ATOMIC_ACKNOWLEDGE("ATOMIC Acknowledge"),
    /** Swaps eight bytes if they are as expected. */
    COMPARE_SWAP("Compare Swap"),
    /** Adds to eight bytes. */
    FETCH_ADD("Fetch Add"),
    /** Looks at some bits of eight bytes and swaps some if they are as expected. */
    MASKED_COMPARE_SWAP("Masked Compare Swap"),
    /** Adds to each of the fields that eight bytes are divided into. */
    MASKED_FETCH_ADD("Masked Fetch Add"),
    /** Makes earlier WRITEs visible or persistent. */
    FLUSH("FLUSH"),
    /** Writes eight bytes at once. */
    ATOMIC_WRITE("ATOMIC WRITE"),
    /** Tells the sender of a flow that it met congestion. */
    CONGESTION_NOTIFICATION("CNP");

    private final String text;

    Operation(String text) {
        this.text = text;
    }

    /** {@return true if the specification does not have it: peers must have agreed on it} */
    public boolean isManufacturerSpecific() {
        return this == MASKED_COMPARE_SWAP || this == MASKED_FETCH_ADD;
    }

    /** {@return the words within an opcode's name} */
    public String text() {
        return text;
    }
}
