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
    private long rxErrors;
    private long txPackets;
    private long txBytes;
    private long txDropped;
    private long txErrors;

    NetDeviceStats() {}

    /** Packets handed to the receive handler; a train counts its packets. */
    public long rxPackets() {
        return rxPackets;
    }

    /** Bytes handed to the receive handler, from the network header on. */
    public long rxBytes() {
        return rxBytes;
    }

    /** Packets nobody wanted: no receive handler. */
    public long rxDropped() {
        return rxDropped;
    }

    /** Failures of the link while receiving, and packets too long for a buffer. */
    public long rxErrors() {
        return rxErrors;
    }

    /** Packets that left. */
    public long txPackets() {
        return txPackets;
    }

    /** Bytes that left, from the network header on. */
    public long txBytes() {
        return txBytes;
    }

    /** Buffers not sent because the device was down or had no carrier. */
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

    void countReceiveDrop() {
        rxDropped++;
    }

    void countTransmitDrop() {
        txDropped++;
    }

    /** For drivers: something was wrong with the link or with a packet from it. */
    public void countReceiveError() {
        rxErrors++;
    }

    /** For drivers: {@code packets} left, with {@code bytes} in all from the network header on. */
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
