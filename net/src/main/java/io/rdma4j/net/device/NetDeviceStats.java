// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.net.device;

/**
 * Live counters of one device ({@code net_device_stats}), starting at 0. {@code LinkStats64} is a snapshot of them.
 *
 * <p>The owner of the device's loop writes them without synchronisation. Other threads may read slightly old values.
 * The core counts received packets, the driver counts sent packets; both count drops and errors.
 */
public final class NetDeviceStats {
    private long rxPackets;
    private long rxBytes;
    private long rxDropped;
    private long rxOtherHost;
    private long rxErrors;
    private long multicast;
    private long lastRxNs;
    private final StripedStats sent;
    private long txDropped;
    private long txErrors;

    /**
     * Creates counters with value 0. For drivers with their own counters, see {@code DeviceControl.stats}; a device has
     * its counters already.
     */
    public NetDeviceStats() {
        this(new StripedStats());
    }

    NetDeviceStats(StripedStats sent) {
        this.sent = sent;
    }

    /** {@return packets delivered to a handler; a train counts as its packets} */
    public long rxPackets() {
        return rxPackets;
    }

    /** {@return bytes delivered to a handler, with link headers} */
    public long rxBytes() {
        return rxBytes;
    }

    /** {@return packets without a receiver, or dropped before it} */
    public long rxDropped() {
        return rxDropped;
    }

    /** {@return frames to other stations that the address filter rejected ({@code rx_otherhost_dropped})} */
    public long rxOtherHost() {
        return rxOtherHost;
    }

    /** {@return receive failures of the link, and packets that exceed a buffer} */
    public long rxErrors() {
        return rxErrors;
    }

    /** {@return received multicast packets} */
    public long multicast() {
        return multicast;
    }

    /**
     * {@return time of the last reception, nanoseconds ({@code last_rx}); 0 if not recorded, which is the default}
     * Neither the core nor drivers record it. An upper device that monitors its lower devices records it for them.
     */
    public long lastRxNs() {
        return lastRxNs;
    }

    /**
     * Records a reception. For receive handlers.
     *
     * @param nowNs time of the loop's clock, ns
     */
    public void lastRxNs(long nowNs) {
        lastRxNs = nowNs;
    }

    /** {@return sent packets} */
    public long txPackets() {
        return sent.packets();
    }

    /** {@return sent bytes, with link headers} */
    public long txBytes() {
        return sent.bytes();
    }

    /** {@return buffers not sent because the device was down, had no carrier, or the other end had no room} */
    public long txDropped() {
        return txDropped;
    }

    /** {@return packets that the link did not accept} */
    public long txErrors() {
        return txErrors;
    }

    /**
     * Counts received packets, with those that arrive as local messages ({@code LocalReceiver}).
     *
     * @param packets number of packets
     * @param bytes their total length
     */
    public void countReceived(long packets, long bytes) {
        rxPackets += packets;
        rxBytes += bytes;
    }

    /** Counts a received multicast packet. */
    public void countMulticast() {
        multicast++;
    }

    /** Counts a received packet that its receiver dropped. */
    public void countReceiveDrop() {
        rxDropped++;
    }

    /** Counts a received frame for another station. */
    public void countOtherHost() {
        rxOtherHost++;
    }

    /** Counts a buffer that was dropped because it could not be sent at present. For drivers. */
    public void countTransmitDrop() {
        txDropped++;
    }

    /** Counts an error of the link, or of a packet received from it. For drivers. */
    public void countReceiveError() {
        rxErrors++;
    }

    /**
     * Counts sent packets. For drivers.
     *
     * @param packets number of packets
     * @param bytes their total length, with link headers
     */
    public void countTransmitted(long packets, long bytes) {
        sent.add(packets, bytes);
    }

    /** Counts a packet that could not be sent and is lost. For drivers. */
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
