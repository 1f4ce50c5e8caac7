package io.rdma4j.net.link;

import io.rdma4j.base.NanoClock;
import io.rdma4j.net.EtherType;
import io.rdma4j.net.LinkType;
import io.rdma4j.net.NetDevice;
import io.rdma4j.net.NetDeviceEvent;
import io.rdma4j.net.NetDeviceListener;
import io.rdma4j.net.PacketTap;
import io.rdma4j.packet.SkBuff;
import java.io.UncheckedIOException;

/**
 * Writes the packets that a device receives and sends to a capture file, as a sniffer does: while it is open, the device is promiscuous. Closes with the device.
 *
 * <p>If the file cannot be written any more, the packets go on and only count as missed.
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
     * Begins to write.
     *
     * @param device whose packets are written, in and out
     * @param protocol of the packets to write, or {@link EtherType#ALL}
     * @param writer stays the caller's: it may get the packets of other devices of the same link type, too, and is to be closed after this
     * @param clock stamps packets that have no time of their own; for a file that shows dates it counts from 1970
     * @return what ends it
     */
    public static PcapTap open(NetDevice device, int protocol, PcapWriter writer, NanoClock clock) {
        return open(device, protocol, writer, clock, Long.MAX_VALUE);
    }

    /**
     * {@return the same for a number of packets: no more are written}
     *
     * @param device whose packets are written, in and out
     * @param protocol of the packets to write, or {@link EtherType#ALL}
     * @param writer stays the caller's
     * @param clock stamps packets that have no time of their own
     * @param most how many
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
    @SuppressWarnings("NonAtomicVolatileUpdate") // one loop counts
    public void see(SkBuff skb) {
        if (packets >= most) {
            return;
        }
        long timeNs = skb.tstamp() != 0 ? skb.tstamp() : clock.nanoTime();
        try {
            writer.write(timeNs, skb, device.linkType() == LinkType.ETHERNET ? skb.data() - skb.macHeader() : 0);
            packets++;
        } catch (UncheckedIOException | IllegalStateException e) {
            // The file is full, or the memory of a train is gone that has not left this machine.
            missed++;
        }
    }

    @Override
    public boolean seesOutgoing() {
        return true;
    }

    /** {@return packets written so far} */
    public long packets() {
        return packets;
    }

    /** {@return packets that the file did not take, or whose memory was gone} */
    public long missed() {
        return missed;
    }

    /** Ends it; nothing happens the second time. The device is promiscuous no longer, unless somebody else wants it to be. */
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
