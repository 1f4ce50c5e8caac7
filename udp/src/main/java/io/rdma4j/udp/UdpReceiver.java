// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.udp;

import io.rdma4j.base.Cpu;
import io.rdma4j.linux.call.MessageBatch;
import io.rdma4j.linux.call.ReceiveBuffers;
import io.rdma4j.net.NetDevice;
import io.rdma4j.packet.GsoType;
import io.rdma4j.packet.SkBuff;
import io.rdma4j.packet.SkBuffPool;
import io.rdma4j.shm.ShmTransport;
import io.rdma4j.wire.ip.Udp;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import org.jspecify.annotations.Nullable;

/**
 * Receives from a UDP socket, several messages with one call. Each message may contain several datagrams of one size
 * ({@code UDP_GRO}). A message is delivered uncut in its receive buffer if the layers above accept it, otherwise as one
 * copy per datagram. For one thread; allocates nothing after the constructor.
 *
 * <p>The kernel or adapter that cuts a train increments the IPv4 identification from that of the first datagram, which
 * is 0 if Linux chose it. A message is most likely such a train, so its datagrams get these assumed numbers. In the
 * rare other case the receiver computes the number from the ICRC ({@link io.rdma4j.wire.roce.IcrcIdentification}).
 */
final class UdpReceiver {
    private static final int BATCH = 8;

    /** Maximum length of a message, bytes. */
    private static final int MESSAGE_BYTES = 1 << 16;

    /** Room for one item of ancillary data: the kernel's size of a message's datagrams. */
    private static final int CONTROL_BYTES = 24;

    private final NativeUdpSocket socket;
    private final SyntheticHeader header;
    private final int maxDatagramBytes;
    private final MessageBatch batch = new MessageBatch(BATCH, SocketAddress.MAX_BYTES, CONTROL_BYTES);

    /** Twice the number that one call fills, because a delivered message may wait for its worker. */
    private final SkBuffPool pool = new SkBuffPool(2 * BATCH, ReceiveBuffers.HEADROOM + MESSAGE_BYTES);

    private final ReceiveBuffers buffers = new ReceiveBuffers(batch, pool, MESSAGE_BYTES);

    /** Number of messages of the last call. Initially all must be prepared. */
    private int received = BATCH;

    /** True if the last call did not fill the batch: later messages are left to the next poll. */
    private boolean drained;

    /** Index in the batch of the message that is being delivered. */
    private int message = BATCH;

    /** Datagrams of that message that are not delivered yet. */
    private int left;

    /** Number of the next datagram, from 0, and its offset in the message. */
    private int index;

    private int offset;

    /** End of the message, bytes. */
    private int end;

    /** Bytes of each datagram except the last, which may be shorter. */
    private int size;

    UdpReceiver(NativeUdpSocket socket, SyntheticHeader header, int maxDatagramBytes) {
        this.socket = socket;
        this.header = header;
        this.maxDatagramBytes = maxDatagramBytes;
        socket.receiveTrains();
    }

    /**
     * Receives the next packet, and adds headers. Datagrams longer than expected are only counted.
     *
     * @param single an empty buffer with headroom, for a copy of a datagram
     * @return {@code single}, another buffer with a whole message, or null if nothing has arrived
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

    /**
     * Returns true if the driver itself need not examine a datagram: none is too long, and none is a wake-up datagram.
     */
    private boolean isUsual() {
        return size <= maxDatagramBytes && !ShmTransport.isWakeup(end - (left - 1) * size);
    }

    /** Returns true if the layers above accept the current message uncut; its buffer is then ready for them. */
    private boolean takeWhole(NetDevice device) {
        SkBuff skb = buffers.get(message);
        skb.put(end);
        pushHeader(skb, 0);
        skb.setNetworkHeader(0);
        skb.setTransportHeader(header.bytes() - Udp.BYTES);
        skb.meta().device(device);
        skb.shinfo().gso(size, left);
        skb.shinfo().gsoType(GsoType.UDP_L4);
        boolean taken = device.napi().takesTrain(skb);
        if (!taken || left == 1) {
            skb.shinfo().gso(0, 0);
            skb.shinfo().gsoType(GsoType.NONE);
        }
        if (!taken) {
            skb.meta().device(null);
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

    /**
     * Receives a batch. It requests only one message if the last call returned none: the kernel then does not look for
     * a second one.
     */
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

    /** Frees all buffers. The socket is already closed. */
    void close() {
        buffers.free();
        pool.close();
    }
}
