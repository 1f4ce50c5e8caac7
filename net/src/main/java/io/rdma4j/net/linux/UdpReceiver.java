package io.rdma4j.net.linux;

import io.rdma4j.base.Cpu;
import io.rdma4j.net.NetDevice;
import io.rdma4j.net.driver.SyntheticHeader;
import io.rdma4j.net.driver.UdpUnderlayEthtool;
import io.rdma4j.net.shm.SharedMemory;
import io.rdma4j.packet.GsoType;
import io.rdma4j.packet.SkBuff;
import io.rdma4j.packet.SkBuffPool;
import io.rdma4j.wire.Udp;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import org.jspecify.annotations.Nullable;

/**
 * Receives from a UDP socket, several messages with one call, each perhaps many datagrams of one size ({@code UDP_GRO}). A message goes up as it is, in
 * the buffer that it came to, if those above take that; else one copy of a datagram after the other. For one thread; allocates nothing after
 * the constructor.
 *
 * <p>Whoever cuts a train counts the IPv4 identification up from that of the first datagram, which is 0 if Linux chose it. A message is most likely
 * such a train, so its datagrams are given these; who needs to know must look, but not often.
 */
final class UdpReceiver {
    private static final int BATCH = 8;

    /** The longest message. */
    private static final int MESSAGE_BYTES = 1 << 16;

    /** Room for one piece of ancillary data, with which the kernel says how long the datagrams of a message are. */
    private static final int CONTROL_BYTES = 24;

    private final NativeUdpSocket socket;
    private final SyntheticHeader header;
    private final int maxDatagramBytes;
    private final MessageBatch batch = new MessageBatch(BATCH, SocketAddress.MAX_BYTES, CONTROL_BYTES);

    /** Twice as many as one call fills, because one that went up may have to wait for its worker. */
    private final SkBuffPool pool = new SkBuffPool(2 * BATCH, TapDevice.HEADROOM + MESSAGE_BYTES);

    private final ReceiveBuffers buffers = new ReceiveBuffers(batch, pool, MESSAGE_BYTES);

    /** Messages of the last call; at first all have to be made ready. */
    private int received = BATCH;

    /** The last call did not fill the batch: what may have come meanwhile is for the next poll. */
    private boolean drained;

    /** The message whose datagrams are given out now, by its place in the batch. */
    private int message = BATCH;

    /** Datagrams of it that are left. */
    private int left;

    /** The number of the next one, from 0, and the byte where it begins. */
    private int index;

    private int offset;

    /** The byte where the message ends. */
    private int end;

    /** Bytes of each datagram but the last, which may be shorter. */
    private int size;

    UdpReceiver(NativeUdpSocket socket, SyntheticHeader header, int maxDatagramBytes) {
        this.socket = socket;
        this.header = header;
        this.maxDatagramBytes = maxDatagramBytes;
        socket.receiveTrains();
    }

    /**
     * Receives what comes next, with headers in front; longer datagrams than expected only count.
     *
     * @param single an empty buffer with headroom, for a copy of a datagram
     * @return {@code single}, another buffer with a whole message, or null if there is nothing now
     */
    @Nullable
    SkBuff receive(SkBuff single, NetDevice device, UdpUnderlayEthtool ethtool) {
        while (left > 0 || nextMessage(ethtool)) {
            if (index == 0 && isUsual() && takeWhole(device)) {
                return whole();
            }
            int from = offset;
            int length = Math.min(size, end - from);
            offset += length;
            left--;
            int number = index++;
            if (length <= maxDatagramBytes) {
                SkBuff buffer = buffers.get(message);
                MemorySegment.copy(
                        buffer.memory(), buffer.data() + (long) from, single.memory(), single.put(length), length);
                pushHeader(single, number);
                return single;
            }
            device.stats().countReceiveError();
            ethtool.countTooLong();
        }
        return null;
    }

    /** True if the driver itself need not look at any of its datagrams: none is too long, and none is a peer's knock. */
    private boolean isUsual() {
        return size <= maxDatagramBytes && !SharedMemory.isKnock(end - (left - 1) * size);
    }

    /** True if those above take the message at hand as it is: then its buffer is made ready for them. */
    private boolean takeWhole(NetDevice device) {
        SkBuff skb = buffers.get(message);
        skb.put(end);
        pushHeader(skb, 0);
        skb.setNetworkHeader(0);
        skb.setTransportHeader(header.bytes() - Udp.BYTES);
        skb.device(device);
        skb.gso(size, left);
        skb.gsoType(GsoType.UDP_L4);
        boolean taken = device.napi().takesTrain(skb);
        if (!taken || left == 1) {
            skb.gso(0, 0);
            skb.gsoType(GsoType.NONE);
        }
        if (!taken) {
            skb.device(null);
            skb.pull(header.bytes());
            skb.trim(0);
        }
        return taken;
    }

    private SkBuff whole() {
        left = 0;
        return buffers.take(message);
    }

    private void pushHeader(SkBuff skb, int number) {
        long name = batch.nameAt(message);
        MemorySegment names = batch.names();
        header.push(
                skb,
                SocketAddress.prefix(names, name),
                SocketAddress.interfaceId(names, name),
                SocketAddress.port(names, name),
                number);
    }

    private boolean nextMessage(UdpUnderlayEthtool ethtool) {
        if (++message >= received && !fill(ethtool)) {
            return false;
        }
        offset = 0;
        index = 0;
        end = batch.length(message);
        long control = batch.control(message, NativeUdpSocket.SOL_UDP, NativeUdpSocket.UDP_GRO);
        size = control == MessageBatch.NONE ? end : batch.controls().get(ValueLayout.JAVA_INT, control);
        // An empty message is one empty datagram.
        left = size == 0 ? 1 : Math.ceilDiv(end, size);
        return true;
    }

    /** Asks for one message if none came last time, because the system need not look for a second one then. */
    private boolean fill(UdpUnderlayEthtool ethtool) {
        if (drained) {
            drained = false;
            return false;
        }
        for (int i = 0; i < received; i++) {
            if (!buffers.prepare(i)) {
                ethtool.countNoBuffer();
                message = received;
                return false;
            }
        }
        received = Math.max(0, socket.receive(batch, received > 0 ? BATCH : 1));
        drained = received > 0 && received < BATCH;
        message = 0;
        if (received == 0) {
            Cpu.pause();
        }
        return received > 0;
    }

    /** The socket is closed. */
    void close() {
        buffers.free();
        pool.close();
    }
}
