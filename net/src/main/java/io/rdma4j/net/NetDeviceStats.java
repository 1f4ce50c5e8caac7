package io.rdma4j.net;

/**
 * Counters of one device ({@code rtnl_link_stats64}), each from 0 upwards.
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
    private long txPackets;
    private long txBytes;
    private long txDropped;
    private long txErrors;

    NetDeviceStats() {}

    /** Packets handed to a handler; a train counts its packets. */
    public long rxPackets() {
        return rxPackets;
    }

    /** Bytes handed to a handler, link header included. */
    public long rxBytes() {
        return rxBytes;
    }

    /** Packets nobody wanted: no handler of their protocol. */
    public long rxDropped() {
        return rxDropped;
    }

    /** Frames to other stations ({@code rx_otherhost_dropped}): what the device's address filter keeps out. */
    public long rxOtherHost() {
        return rxOtherHost;
    }

    /** Failures of the link while receiving, and packets too long for a buffer. */
    public long rxErrors() {
        return rxErrors;
    }

    /** Packets that left. */
    public long txPackets() {
        return txPackets;
    }

    /** Bytes that left, link header included. */
    public long txBytes() {
        return txBytes;
    }

    /** Buffers not sent because the device was down or had no carrier, or the other end had no room. */
    public long txDropped() {
        return txDropped;
    }

    /** Packets that the link refused. */
    public long txErrors() {
        return txErrors;
    }

    void countReceived(int packets, int bytes) {
        rxPackets += packets;
        rxBytes += bytes;
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

    /** For drivers: {@code packets} left, with {@code bytes} in all, link header included. */
    public void countTransmitted(int packets, int bytes) {
        txPackets += packets;
        txBytes += bytes;
    }

    /** For drivers: a packet could not be sent and is lost. */
    public void countTransmitError() {
        txErrors++;
    }

    @Override
    public String toString() {
        return "rx " + rxPackets + " packets " + rxBytes + " bytes " + rxErrors + " errors " + rxDropped
                + " dropped, tx " + txPackets + " packets " + txBytes + " bytes " + txErrors + " errors " + txDropped
                + " dropped";
    }
}
