// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.udp;

import io.rdma4j.linux.call.LinuxError;
import io.rdma4j.linux.call.OutgoingFrame;
import io.rdma4j.net.NetDevice;
import io.rdma4j.packet.PacketOffload;
import io.rdma4j.packet.SkBuff;
import io.rdma4j.wire.ip.Ipv4;
import java.util.Objects;
import java.util.concurrent.TimeUnit;

/**
 * Sends packets through UDP sockets with as few calls as possible. Packets of one size to one destination, of one train
 * or several, and a shorter one after them, are gathered in a {@link DatagramBatch} until {@link #flush}. The kernel or
 * the adapter cuts the batch; between processes of one machine it may stay uncut. If neither can cut, packets are sent
 * one by one. For one thread; allocates nothing after the constructor.
 *
 * <p>The kernel or adapter that cuts increments the IPv4 identification from 0. This class does the same, because the
 * CRC of RoCE covers it.
 */
final class UdpSender {
    /**
     * Initial time for which packets are sent one by one after the system has rejected a batch, ns. The system rejects
     * batches for a while after the MTU of the interface has decreased, or always without a suitable adapter. Each
     * further rejection doubles the time, because it loses packets.
     */
    static final long FIRST_PAUSE_NS = TimeUnit.SECONDS.toNanos(1);

    private static final long LONGEST_PAUSE_NS = TimeUnit.SECONDS.toNanos(64);

    private final DatagramBatch batch;
    private final OutgoingFrame single;
    private final OutgoingMessage singleMessage;
    private final DatagramTarget singleTarget;
    private final UdpUnderlayEthtool ethtool;

    /** A batch was rejected: packets are sent one by one for {@link #pauseNs}. */
    private boolean paused;

    private long refusedNs;
    private long pauseNs = FIRST_PAUSE_NS;

    /**
     * @param maxPacketBytes with IP header
     * @param scopeId of the interface, for link-local addresses
     * @param ethtool counts rejected packets
     */
    UdpSender(int maxPacketBytes, int scopeId, UdpUnderlayEthtool ethtool) {
        this.batch = new DatagramBatch(maxPacketBytes, scopeId);
        this.single = new OutgoingFrame(maxPacketBytes);
        this.singleMessage = new OutgoingMessage(single.vector());
        this.singleTarget = new DatagramTarget(scopeId);
        this.ethtool = ethtool;
    }

    /** Returns the number of packets in a buffer. */
    static int packets(SkBuff skb) {
        return skb.shinfo().isGso() ? skb.shinfo().gsoSegs() : 1;
    }

    /**
     * Accepts the packets of a buffer from {@code index} on, and counts those that cannot be sent. It does not need the
     * buffer any more for accepted packets.
     *
     * @return index of the first packet for which the socket has no room now; the number of packets if there is none
     */
    int take(SkBuff skb, int index, NativeUdpSocket socket, NetDevice device) {
        int packets = packets(skb);
        for (int i = index; i < packets; i++) {
            PacketOffload offload = skb.shinfo().offload();
            int bytes = offload == null ? skb.len() : offload.segmentBytes(skb, i);
            if (bytes > device.maxFrameBytes()) {
                refuse(1, device);
            } else if (!(offload == null ? sendAlone(skb, socket, device) : gather(skb, i, bytes, socket, device))) {
                return i;
            }
        }
        return packets;
    }

    /** Sends the batch; returns false if the socket has no room for it now. */
    boolean flush(NetDevice device) {
        if (batch.isEmpty()) {
            return true;
        }
        long result = batch.send();
        if (result == LinuxError.EAGAIN) {
            return false;
        }
        if (result >= 0) {
            ethtool.countCall();
            device.stats().countTransmitted(batch.count(), batch.packetBytes());
            if (batch.count() > 1) {
                paused = false;
                pauseNs = FIRST_PAUSE_NS;
            }
        } else {
            if (batch.count() > 1 && (result == LinuxError.EIO || result == LinuxError.EINVAL)) {
                pause();
            }
            refuse(batch.count(), device);
        }
        batch.clear();
        return true;
    }

    /**
     * Handles a rejected batch, which neither the kernel nor the adapter can cut. Its packets are lost, as on a lossy
     * link. No more packets are gathered for {@link #pauseNs}.
     */
    private void pause() {
        pauseNs = paused ? Math.min(2 * pauseNs, LONGEST_PAUSE_NS) : pauseNs;
        paused = true;
        refusedNs = System.nanoTime();
    }

    private void refuse(int packets, NetDevice device) {
        for (int i = 0; i < packets; i++) {
            device.stats().countTransmitError();
            ethtool.countRefused();
        }
    }

    /** Sends a packet that is complete; returns false if the socket has no room for it. */
    private boolean sendAlone(SkBuff skb, NativeUdpSocket socket, NetDevice device) {
        if (!flush(device)) {
            return false;
        }
        boolean gathered = single.gather(skb, DatagramTarget.headerBytes(skb));
        singleTarget.set(skb);
        singleTarget.writeTo(singleMessage);
        singleMessage.datagram(1);
        long result = gathered ? socket.send(singleMessage) : LinuxError.EIO;
        if (result >= 0) {
            ethtool.countCall();
            device.stats().countTransmitted(1, skb.len());
        } else if (result != LinuxError.EAGAIN) {
            refuse(1, device);
        }
        return result != LinuxError.EAGAIN;
    }

    /** Completes a packet and adds it to the batch; returns false if the batch must be sent first and cannot be. */
    private boolean gather(SkBuff train, int index, int bytes, NativeUdpSocket socket, NetDevice device) {
        int headerBytes = DatagramTarget.headerBytes(train);
        boolean joins = gathers() && batch.accepts(train, socket, bytes - headerBytes);
        if (!joins && !flush(device)) {
            return false;
        }
        if (segment(train, index, batch.next())) {
            batch.add(socket);
        } else {
            // The memory of a fragment is closed.
            batch.giveUp();
            refuse(1, device);
        }
        return true;
    }

    private boolean gathers() {
        return !paused || System.nanoTime() - refusedNs >= pauseNs;
    }

    private boolean segment(SkBuff train, int index, SkBuff packet) {
        PacketOffload offload = Objects.requireNonNull(train.shinfo().offload());
        if (batch.isEmpty() || !DatagramTarget.isIpv4(train)) {
            return offload.segment(train, index, packet);
        }
        Ipv4.identification(train.memory(), train.data(), batch.count());
        boolean done = offload.segment(train, index, packet);
        Ipv4.identification(train.memory(), train.data(), 0);
        return done;
    }

    /** Drops the batch. */
    void drop(NetDevice device) {
        refuse(batch.count(), device);
        batch.clear();
    }

    void close() {
        batch.close();
    }
}
