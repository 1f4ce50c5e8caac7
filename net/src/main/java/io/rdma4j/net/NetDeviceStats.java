package io.rdma4j.net;

/**
 * Counters of one device while they count ({@code net_device_stats}), each from 0 upwards; {@link LinkStats64} is a picture of them.
 *
 * <p>Written by the thread that owns the device's loop, without synchronisation; any other thread may read and sees a
 * value that is a little old. Receive counters but the errors are kept by the core, all others by the driver.
 */
public final class NetDeviceStats {
    private long rxPackets;
    private long rxBytes;
    private long rxDropped;
    private long rxOtherHost;
    private long rxErrors;
    private long multicast;
    private long lastRxNs;
    private final LaneStats sent;
    private long txDropped;
    private long txErrors;

    /** All are 0. For drivers that keep some of their own, see {@link DeviceControl#stats}; a device has one. */
    public NetDeviceStats() {
        this(new LaneStats());
    }

    NetDeviceStats(LaneStats sent) {
        this.sent = sent;
    }

    /** {@return packets handed to a handler; a train counts its packets} */
    public long rxPackets() {
        return rxPackets;
    }

    /** {@return bytes handed to a handler, link header included} */
    public long rxBytes() {
        return rxBytes;
    }

    /** {@return packets nobody wanted: no handler of their protocol} */
    public long rxDropped() {
        return rxDropped;
    }

    /** {@return frames to other stations ({@code rx_otherhost_dropped}): what the device's address filter keeps out} */
    public long rxOtherHost() {
        return rxOtherHost;
    }

    /** {@return failures of the link while receiving, and packets too long for a buffer} */
    public long rxErrors() {
        return rxErrors;
    }

    /** {@return packets for a group among those that were received} */
    public long multicast() {
        return multicast;
    }

    /**
     * {@return when something was last received, nanoseconds ({@code last_rx}); 0 if nobody takes note, as usual}
     * Neither the core nor drivers do: a device that stands on others, and has to know whether they still hear
     * anything, notes it of them.
     */
    public long lastRxNs() {
        return lastRxNs;
    }

    /**
     * For receive handlers: something was received just now.
     *
     * @param nowNs of the loop's clock
     */
    public void lastRxNs(long nowNs) {
        lastRxNs = nowNs;
    }

    /** {@return which threads sent how much} */
    public LaneStats sent() {
        return sent;
    }

    /** {@return packets that left} */
    public long txPackets() {
        return sent.packets();
    }

    /** {@return bytes that left, link header included} */
    public long txBytes() {
        return sent.bytes();
    }

    /** {@return buffers not sent because the device was down or had no carrier, or the other end had no room} */
    public long txDropped() {
        return txDropped;
    }

    /** {@return packets that the link refused} */
    public long txErrors() {
        return txErrors;
    }

    /**
     * Packets have arrived; for those too that came past the device, as notes ({@link NoteReceiver}).
     *
     * @param packets how many
     * @param bytes of all of them
     */
    public void countReceived(int packets, int bytes) {
        rxPackets += packets;
        rxBytes += bytes;
    }

    void countMulticast() {
        multicast++;
    }

    /** For whoever takes the frames of a device: one is not wanted, and dropped. */
    public void countReceiveDrop() {
        rxDropped++;
    }

    void countOtherHost() {
        rxOtherHost++;
    }

    /** For drivers: a buffer could not be sent just now and is lost. */
    public void countTransmitDrop() {
        txDropped++;
    }

    /** For drivers: something was wrong with the link or with a packet from it. */
    public void countReceiveError() {
        rxErrors++;
    }

    /**
     * For drivers: {@code packets} left, with {@code bytes} in all, link header included.
     *
     * @param packets how many
     * @param bytes of all of them
     */
    public void countTransmitted(int packets, int bytes) {
        sent.add(packets, bytes);
    }

    /** For drivers: a packet could not be sent and is lost. */
    public void countTransmitError() {
        txErrors++;
    }

    @Override
    public String toString() {
        return "rx " + rxPackets + " packets " + rxBytes + " bytes " + rxErrors + " errors " + rxDropped
                + " dropped, tx " + txPackets() + " packets " + txBytes() + " bytes " + txErrors + " errors "
                + txDropped
                + " dropped";
    }
}
