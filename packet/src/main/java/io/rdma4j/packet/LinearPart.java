package io.rdma4j.packet;

/**
 * The linear part of a buffer and the positions of its headers, as offsets into the data block.
 *
 * <p>This class exists only to keep {@link SkBuff} short; {@code SkBuff} is its only concrete subclass.
 */
public abstract sealed class LinearPart permits SharedPart {
    private static final int NOT_SET = -1;

    private int data;
    private int tail;
    private int macHeader;
    private int networkHeader;
    private int transportHeader;

    LinearPart() {}

    /** Resets the buffer to empty, at the head of the block, with no header set. */
    void clearPositions() {
        data = 0;
        tail = 0;
        macHeader = NOT_SET;
        networkHeader = NOT_SET;
        transportHeader = NOT_SET;
    }

    void copyPositions(LinearPart from) {
        data = from.data;
        tail = from.tail;
        copyHeaderPlaces(from);
    }

    void copyHeaderPlaces(LinearPart from) {
        macHeader = from.macHeader;
        networkHeader = from.networkHeader;
        transportHeader = from.transportHeader;
    }

    /** {@return offset after the last byte of the block, which is its size} */
    public abstract int end();

    /** {@return bytes in fragments ({@code skb->data_len})} */
    public abstract int dataLen();

    abstract boolean isLive();

    /** Returns the message of the assertion that a buffer is live. */
    abstract Object usedAfterFree();

    /** {@return true if the holder released the headers: no bytes may be put in front ({@code skb->nohdr})} */
    public abstract boolean isPayloadOnly();

    /** {@return offset of the first byte of the packet} */
    public final int data() {
        return data;
    }

    /** {@return offset after the last byte of the linear part} */
    public final int tail() {
        return tail;
    }

    /** {@return bytes in the linear part ({@code skb_headlen})} */
    public final int headLen() {
        return tail - data;
    }

    /** {@return bytes of the packet, fragments included ({@code skb->len})} */
    public final int len() {
        return headLen() + dataLen();
    }

    /** {@return true if the packet has bytes outside the linear part ({@code skb_is_nonlinear})} */
    public final boolean isNonlinear() {
        return dataLen() > 0;
    }

    /** {@return free bytes in front of the packet ({@code skb_headroom})} */
    public final int headroom() {
        return data;
    }

    /** {@return free bytes after the linear part; 0 if there are fragments, which follow it ({@code skb_tailroom})} */
    public final int tailroom() {
        return isNonlinear() ? 0 : end() - tail;
    }

    /**
     * Makes headroom in an empty buffer ({@code skb_reserve}).
     *
     * @param length bytes
     * @throws IllegalStateException if the buffer is not empty
     * @throws IndexOutOfBoundsException if {@code length} is negative or exceeds the tailroom
     */
    public final void reserve(int length) {
        assert isLive() : usedAfterFree();
        if (len() != 0) {
            throw new IllegalStateException("reserve in a buffer of " + len() + " bytes; it must be empty");
        }
        checkRoom("reserve", length, tailroom());
        data += length;
        tail += length;
    }

    /**
     * Appends bytes to the linear part ({@code skb_put}).
     *
     * @param length bytes
     * @return offset of the first appended byte; the content of the bytes is undefined
     * @throws IndexOutOfBoundsException if {@code length} is negative or exceeds the tailroom
     */
    public final int put(int length) {
        assert isLive() : usedAfterFree();
        checkRoom("put", length, tailroom());
        int at = tail;
        tail += length;
        return at;
    }

    /**
     * Adds bytes in front of the packet ({@code skb_push}).
     *
     * @param length bytes
     * @return the new {@link #data()}
     * @throws IllegalStateException if the headers were released
     * @throws IndexOutOfBoundsException if {@code length} is negative or exceeds the headroom
     */
    public final int push(int length) {
        assert isLive() : usedAfterFree();
        if (isPayloadOnly()) {
            throw new IllegalStateException("push into a buffer whose headers were released");
        }
        checkRoom("push", length, headroom());
        data -= length;
        return data;
    }

    /**
     * Removes bytes from the front of the linear part ({@code skb_pull}).
     *
     * @param length bytes
     * @return the new {@link #data()}
     * @throws IndexOutOfBoundsException if {@code length} is negative or exceeds the linear part
     */
    public final int pull(int length) {
        assert isLive() : usedAfterFree();
        checkRoom("pull", length, headLen());
        data += length;
        return data;
    }

    /**
     * Shortens the packet to {@code length} bytes by removing its end ({@code skb_trim}).
     *
     * @param length bytes
     * @throws IllegalStateException if there are fragments
     * @throws IndexOutOfBoundsException if {@code length} is negative or exceeds the length of the packet
     */
    public final void trim(int length) {
        assert isLive() : usedAfterFree();
        if (isNonlinear()) {
            throw new IllegalStateException("trim of a buffer with " + dataLen() + " bytes in fragments");
        }
        checkRoom("trim", length, headLen());
        tail = data + length;
    }

    static void checkRoom(String operation, int length, int room) {
        if (length < 0 || length > room) {
            throw new IndexOutOfBoundsException(operation + " of " + length + " bytes, possible are 0.." + room);
        }
    }

    /**
     * {@return offset of the L2 header}
     *
     * @throws IllegalStateException if it is not set
     */
    public final int macHeader() {
        return checkSet(macHeader, "mac");
    }

    /** {@return true if the position of the L2 header is set} */
    public final boolean macHeaderWasSet() {
        return macHeader != NOT_SET;
    }

    /**
     * Sets the position of the L2 header to {@code offset} bytes from {@link #data()}.
     *
     * @param offset bytes, negative in the headroom
     */
    public final void setMacHeader(int offset) {
        macHeader = headerAt(offset);
    }

    /**
     * {@return offset of the L3 header}
     *
     * @throws IllegalStateException if it is not set
     */
    public final int networkHeader() {
        return checkSet(networkHeader, "network");
    }

    /** {@return true if the position of the L3 header is set} */
    public final boolean networkHeaderWasSet() {
        return networkHeader != NOT_SET;
    }

    /**
     * Sets the position of the L3 header to {@code offset} bytes from {@link #data()} ({@code skb_set_network_header}).
     *
     * @param offset bytes, negative in the headroom
     */
    public final void setNetworkHeader(int offset) {
        networkHeader = headerAt(offset);
    }

    /**
     * {@return offset of the L4 header}
     *
     * @throws IllegalStateException if it is not set
     */
    public final int transportHeader() {
        return checkSet(transportHeader, "transport");
    }

    /** {@return true if the position of the L4 header is set ({@code skb_transport_header_was_set})} */
    public final boolean transportHeaderWasSet() {
        return transportHeader != NOT_SET;
    }

    /**
     * Sets the position of the L4 header to {@code offset} bytes from {@link #data()}
     * ({@code skb_set_transport_header}).
     *
     * @param offset bytes, negative in the headroom
     */
    public final void setTransportHeader(int offset) {
        transportHeader = headerAt(offset);
    }

    private int headerAt(int offset) {
        assert isLive() : usedAfterFree();
        // Negative offsets are usual: a header that was pulled is in the headroom.
        if (offset < -data || offset > headLen()) {
            throw new IndexOutOfBoundsException(
                    "header at " + offset + " from data, possible are " + -data + ".." + headLen());
        }
        return data + offset;
    }

    private static int checkSet(int header, String which) {
        if (header == NOT_SET) {
            throw new IllegalStateException("the " + which + " header was not set");
        }
        return header;
    }
}
