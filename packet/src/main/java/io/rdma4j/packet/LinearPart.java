package io.rdma4j.packet;

/**
 * The linear part of a buffer and where the headers lie in it: nothing but offsets into the data block.
 *
 * <p>A class of its own only to keep {@link SkBuff} readable; there is no other kind.
 */
public abstract sealed class LinearPart permits SharedPart {
    private static final int NOT_SET = -1;

    private int data;
    private int tail;
    private int macHeader;
    private int networkHeader;
    private int transportHeader;

    LinearPart() {}

    /** Empty, at the head of the block, no header known. */
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

    /** {@return offset behind the last byte of the block: its size} */
    public abstract int end();

    /** {@return bytes in fragments ({@code skb->data_len})} */
    public abstract int dataLen();

    abstract boolean isLive();

    /** What an assertion says of a buffer that is not live. */
    abstract Object usedAfterFree();

    /** {@return true if the holder gave up the headers: nothing may be put in front ({@code skb->nohdr})} */
    public abstract boolean isPayloadOnly();

    /** {@return offset of the first byte of the packet} */
    public final int data() {
        return data;
    }

    /** {@return offset behind the last byte of the linear part} */
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

    /** {@return true if part of the packet lies in fragments ({@code skb_is_nonlinear})} */
    public final boolean isNonlinear() {
        return dataLen() > 0;
    }

    /** {@return free bytes in front of the packet ({@code skb_headroom})} */
    public final int headroom() {
        return data;
    }

    /**
     * {@return free bytes behind the linear part; none if there are fragments, which follow it ({@code skb_tailroom})}
     */
    public final int tailroom() {
        return isNonlinear() ? 0 : end() - tail;
    }

    /**
     * Makes headroom in an empty buffer ({@code skb_reserve}).
     *
     * @param length bytes
     * @throws IllegalStateException if the buffer is not empty
     * @throws IndexOutOfBoundsException if there is less tailroom
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
     * Appends to the linear part ({@code skb_put}).
     *
     * @param length bytes
     * @return the offset of the first byte appended; its content is whatever was there
     * @throws IndexOutOfBoundsException if {@code length} is negative or beyond the tailroom
     */
    public final int put(int length) {
        assert isLive() : usedAfterFree();
        checkRoom("put", length, tailroom());
        int at = tail;
        tail += length;
        return at;
    }

    /**
     * Puts bytes in front ({@code skb_push}).
     *
     * @param length bytes
     * @return the new {@link #data()}
     * @throws IllegalStateException if the headers were released
     * @throws IndexOutOfBoundsException if {@code length} is negative or beyond the headroom
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
     * Takes bytes off the front of the linear part ({@code skb_pull}).
     *
     * @param length bytes
     * @return the new {@link #data()}
     * @throws IndexOutOfBoundsException if {@code length} is negative or beyond the linear part
     */
    public final int pull(int length) {
        assert isLive() : usedAfterFree();
        checkRoom("pull", length, headLen());
        data += length;
        return data;
    }

    /**
     * Cuts the end off, so that {@code length} bytes stay ({@code skb_trim}).
     *
     * @param length bytes
     * @throws IllegalStateException if there are fragments
     * @throws IndexOutOfBoundsException if {@code length} is negative or beyond what is there
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

    /** {@return offset of the L2 header; throws IllegalStateException if not set} */
    public final int macHeader() {
        return checkSet(macHeader, "mac");
    }

    /** {@return true once the L2 header's place is known} */
    public final boolean macHeaderWasSet() {
        return macHeader != NOT_SET;
    }

    /**
     * The L2 header starts {@code offset} bytes from {@link #data()}.
     *
     * @param offset bytes, negative in the headroom
     */
    public final void setMacHeader(int offset) {
        macHeader = headerAt(offset);
    }

    /** {@return offset of the L3 header; throws IllegalStateException if not set} */
    public final int networkHeader() {
        return checkSet(networkHeader, "network");
    }

    /** {@return true once the L3 header's place is known} */
    public final boolean networkHeaderWasSet() {
        return networkHeader != NOT_SET;
    }

    /**
     * The L3 header starts {@code offset} bytes from {@link #data()} ({@code skb_set_network_header}).
     *
     * @param offset bytes, negative in the headroom
     */
    public final void setNetworkHeader(int offset) {
        networkHeader = headerAt(offset);
    }

    /** {@return offset of the L4 header; throws IllegalStateException if not set} */
    public final int transportHeader() {
        return checkSet(transportHeader, "transport");
    }

    /** {@return true once the L4 header's place is known ({@code skb_transport_header_was_set})} */
    public final boolean transportHeaderWasSet() {
        return transportHeader != NOT_SET;
    }

    /**
     * The L4 header starts {@code offset} bytes from {@link #data()} ({@code skb_set_transport_header}).
     *
     * @param offset bytes, negative in the headroom
     */
    public final void setTransportHeader(int offset) {
        transportHeader = headerAt(offset);
    }

    private int headerAt(int offset) {
        assert isLive() : usedAfterFree();
        // Negative offsets are usual: a header that was pulled off lies in the headroom.
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
