// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.rxe;

import io.rdma4j.base.Errno;
import io.rdma4j.base.Gid;
import io.rdma4j.base.RdmaException;
import io.rdma4j.net.NetDevice;
import io.rdma4j.net.NetDeviceOps;
import io.rdma4j.net.transmit.NetdevTx;
import io.rdma4j.packet.SkBuff;
import io.rdma4j.packet.SkBuffPool;
import io.rdma4j.wire.ip.Ipv4;
import io.rdma4j.wire.ip.Udp;
import java.io.ByteArrayOutputStream;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Queue;
import java.util.concurrent.Semaphore;
import org.jspecify.annotations.Nullable;

/** A link that records sent packets, and delivers packets that the test has made. */
final class StubLink implements NetDeviceOps {
    private static final int BUFFERS = 64;
    private static final int BUFFER_BYTES = 10_000;

    /** Finished packets that were sent, from the IP header on. */
    final List<byte[]> sent = new ArrayList<>();

    /** Trains and packets with an offload; they stay allocated until the test frees them. */
    final List<SkBuff> unfinished = new ArrayList<>();

    /** The queue of each packet or train. */
    final List<Integer> queues = new ArrayList<>();

    /** Multicast groups joined; rejected if {@code refusesGroups} is set. */
    final List<Gid> groups = new ArrayList<>();

    boolean refusesGroups;

    /** The source port of the only socket; 0 if packets have their own source port. */
    int udpSourcePort;

    /** Called with each packet or train that is transmitted. */
    Runnable onTransmit = () -> {};

    private int room = Integer.MAX_VALUE;
    private boolean broken;

    /** A packet, or several datagrams of {@code size} bytes after the headers of the first one. */
    private static final class Arrival {
        final byte[] packet;
        final int size;
        final int datagrams;

        Arrival(byte[] packet, int size, int datagrams) {
            this.packet = packet;
            this.size = size;
            this.datagrams = datagrams;
        }
    }

    private final Queue<Arrival> arriving = new ArrayDeque<>();
    private final SkBuffPool pool = new SkBuffPool(BUFFERS, BUFFER_BYTES);
    private final Semaphore wakeups = new Semaphore(0);

    /** Accepts {@code packets} more packets and then none. */
    void busyAfter(int packets) {
        room = packets;
    }

    /** Throws at the next packet. */
    void breaksAtNextPacket() {
        broken = true;
    }

    void arrive(byte[] packet) {
        arriving.add(new Arrival(packet, 0, 1));
    }

    /** Delivers packets over IPv4 of one size as one merged buffer; the last may be shorter. */
    void arriveMerged(List<byte[]> packets) {
        int headers = Ipv4.BYTES + Udp.BYTES;
        ByteArrayOutputStream joined = new ByteArrayOutputStream();
        joined.writeBytes(packets.getFirst());
        packets.stream().skip(1).forEach(packet -> joined.write(packet, headers, packet.length - headers));
        byte[] train = joined.toByteArray();
        MemorySegment memory = MemorySegment.ofArray(train);
        Udp.length(memory, Ipv4.BYTES, train.length - Ipv4.BYTES);
        Ipv4.totalLength(memory, 0, train.length);
        Ipv4.updateChecksum(memory, 0);
        arriving.add(new Arrival(train, packets.getFirst().length - headers, packets.size()));
    }

    /** An empty buffer. */
    SkBuff allocate() {
        return Objects.requireNonNull(pool.allocate(), "the pool is empty");
    }

    /** All bytes of a linear packet. */
    static byte[] bytes(SkBuff skb) {
        byte[] bytes = new byte[skb.len()];
        skb.copyBits(0, MemorySegment.ofArray(bytes), 0, bytes.length);
        return bytes;
    }

    @Override
    public NetdevTx startXmit(SkBuff skb, NetDevice device) {
        onTransmit.run();
        if (broken) {
            skb.free();
            throw new IllegalStateException("the driver has a bug");
        }
        if (room == 0) {
            return NetdevTx.BUSY;
        }
        room--;
        queues.add(skb.meta().queueMapping());
        if (skb.shinfo().offload() == null) {
            sent.add(bytes(skb));
            skb.free();
        } else {
            unfinished.add(skb);
        }
        return NetdevTx.OK;
    }

    @Override
    public @Nullable SkBuff pollReceive(NetDevice device) {
        Arrival arrival = arriving.poll();
        if (arrival == null) {
            return null;
        }
        byte[] packet = arrival.packet;
        SkBuff skb = allocate();
        skb.shinfo().gso(arrival.size, arrival.datagrams);
        int at = skb.put(packet.length);
        MemorySegment.copy(packet, 0, skb.memory(), ValueLayout.JAVA_BYTE, at, packet.length);
        return skb;
    }

    @Override
    public int udpSourcePort() {
        return udpSourcePort;
    }

    @Override
    public void joinMulticast(Gid group, NetDevice device) {
        if (refusesGroups) {
            throw new RdmaException(Errno.EADDRNOTAVAIL, "no way to " + group);
        }
        groups.add(group);
    }

    @Override
    public void leaveMulticast(Gid group, NetDevice device) {
        groups.remove(group);
    }

    @Override
    public boolean hasInterrupt() {
        return true;
    }

    /** Blocks until {@code wakeup}, without timeout. */
    @Override
    public void awaitReadable(long timeoutNs) {
        wakeups.acquireUninterruptibly();
    }

    @Override
    public void wakeup() {
        wakeups.release();
    }
}
