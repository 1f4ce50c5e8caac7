// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.links;

import io.rdma4j.base.NanoClock;
import io.rdma4j.net.NetDevice;
import io.rdma4j.net.NetDeviceListener;
import io.rdma4j.net.device.LinkType;
import io.rdma4j.net.device.NetDeviceEvent;
import io.rdma4j.net.receive.PacketTap;
import io.rdma4j.net.skb.EtherType;
import io.rdma4j.packet.SkBuff;
import java.io.UncheckedIOException;

/**
 * Writes the packets that a device receives and sends to a capture file, like a packet sniffer. The device is
 * promiscuous while the tap is open. The tap closes when the device is unregistered.
 *
 * <p>If a write to the file fails, the traffic continues and the packet is counted as missed.
 */
public final class PcapTap implements PacketTap, AutoCloseable {
    private final NetDevice device;
    private final PcapWriter writer;
    private final NanoClock clock;
    private final long most;
    private final NetDeviceListener deviceGone = this::onEvent;
    private volatile long packets;
    private volatile long missed;
    private boolean closed;

    private PcapTap(NetDevice device, PcapWriter writer, NanoClock clock, long most) {
        this.device = device;
        this.writer = writer;
        this.clock = clock;
        this.most = most;
    }

    /**
     * Starts a capture.
     *
     * @param device whose received and sent packets are written
     * @param protocol of the packets to write, or {@link EtherType#ALL}
     * @param writer the caller keeps it and closes it after the tap; several devices of one link type may share it
     * @param clock timestamps packets that have none; it counts from 1970 if the file is to show dates
     * @return the tap
     */
    public static PcapTap open(NetDevice device, int protocol, PcapWriter writer, NanoClock clock) {
        return open(device, protocol, writer, clock, Long.MAX_VALUE);
    }

    /**
     * {@return a tap that writes at most {@code most} packets; otherwise as the method above}
     *
     * @param device whose received and sent packets are written
     * @param protocol of the packets to write, or {@link EtherType#ALL}
     * @param writer the caller keeps it
     * @param clock timestamps packets that have none
     * @param most maximum number of packets
     */
    public static PcapTap open(NetDevice device, int protocol, PcapWriter writer, NanoClock clock, long most) {
        PcapTap tap = new PcapTap(device, writer, clock, most);
        device.addListener(tap.deviceGone);
        device.link().setPromiscuity(1);
        device.protocols().addTap(protocol, tap);
        return tap;
    }

    private void onEvent(NetDevice changed, NetDeviceEvent event) {
        if (event == NetDeviceEvent.UNREGISTER) {
            close();
        }
    }

    @Override
    @SuppressWarnings("NonAtomicVolatileUpdate") // only the owner of the loop writes it
    public void see(SkBuff skb) {
        if (packets >= most) {
            return;
        }
        long timeNs = skb.meta().tstamp() != 0 ? skb.meta().tstamp() : clock.nanoTime();
        try {
            writer.write(timeNs, skb, device.linkType() == LinkType.ETHERNET ? skb.data() - skb.macHeader() : 0);
            packets++;
        } catch (UncheckedIOException | IllegalStateException e) {
            // The file cannot be written, or the memory of a train that this machine sends is closed.
            missed++;
        }
    }

    @Override
    public boolean seesOutgoing() {
        return true;
    }

    /** {@return the number of packets written so far} */
    public long packets() {
        return packets;
    }

    /** {@return the number of packets that could not be written, or whose memory was closed} */
    public long missed() {
        return missed;
    }

    /** Ends the capture; a second call has no effect. The device stays promiscuous only if another user requires it. */
    @Override
    public synchronized void close() {
        if (!closed) {
            closed = true;
            device.protocols().removeTap(this);
            device.link().setPromiscuity(-1);
            device.removeListener(deviceGone);
        }
    }
}
