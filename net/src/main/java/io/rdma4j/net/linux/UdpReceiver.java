package io.rdma4j.net.linux;

import io.rdma4j.net.NetDeviceStats;
import io.rdma4j.net.driver.SyntheticHeader;
import io.rdma4j.net.driver.UdpUnderlayEthtool;
import io.rdma4j.packet.SkBuff;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/**
 * Receives from a UDP socket, several messages with one call, each perhaps many datagrams of one size ({@code UDP_GRO}), which are cut
 * here. For one thread; allocates nothing after the constructor.
 *
 * <p>Whoever cuts a train counts the IPv4 identification up from that of the first datagram, which is 0 if Linux chose it. A message is most likely
 * such a train, so its datagrams are given these; who needs to know must look, but not often.
 */
final class UdpReceiver {
    private static final int BATCH = 8;

    /** The longest message. */
    private static final int MESSAGE_BYTES = 1 << 16;

    /** A header and a number. */
    private static final int CONTROL_BYTES = 24;

    private final NativeUdpSocket socket;
    private final SyntheticHeader header;
    private final int maxDatagramBytes;
    private final MessageBatch batch = new MessageBatch(BATCH, SocketAddress.MAX_BYTES, CONTROL_BYTES);
    private final MemorySegment memory = Arena.ofAuto().allocate((long) BATCH * MESSAGE_BYTES, 64);
    private int received;

    /** The last call found no more than it gave: it need not be asked again at once. */
    private boolean drained;

    /** The message that datagrams are cut from, how many are left of it, the number of the next one, where the next one begins, where the message ends, and their size. */
    private int message;

    private int left;
    private int index;
    private int offset;
    private int end;
    private int size;

    UdpReceiver(NativeUdpSocket socket, SyntheticHeader header, int maxDatagramBytes) {
        this.socket = socket;
        this.header = header;
        this.maxDatagramBytes = maxDatagramBytes;
        socket.receiveTrains();
        for (int i = 0; i < BATCH; i++) {
            batch.prepare(i, memory, at(i), MESSAGE_BYTES);
        }
    }

    /**
     * Copies the next datagram behind the headroom of an empty buffer, and puts headers in front; longer ones than expected only count.
     *
     * @return false if there is none now; the buffer is as it was
     */
    boolean receive(SkBuff skb, NetDeviceStats stats, UdpUnderlayEthtool ethtool) {
        while (left > 0 || nextMessage()) {
            int from = offset;
            int length = Math.min(size, end - from);
            offset += length;
            left--;
            int number = index++;
            if (length <= maxDatagramBytes) {
                MemorySegment.copy(memory, at(message) + from, skb.memory(), skb.put(length), length);
                long name = batch.nameAt(message);
                MemorySegment names = batch.names();
                header.push(
                        skb,
                        SocketAddress.prefix(names, name),
                        SocketAddress.interfaceId(names, name),
                        SocketAddress.port(names, name),
                        number);
                return true;
            }
            stats.countReceiveError();
            ethtool.countTooLong();
        }
        return false;
    }

    private static long at(int message) {
        return (long) message * MESSAGE_BYTES;
    }

    private boolean nextMessage() {
        if (++message >= received && !fill()) {
            return false;
        }
        offset = 0;
        index = 0;
        end = batch.length(message);
        long control = batch.control(message, NativeUdpSocket.SOL_UDP, NativeUdpSocket.UDP_GRO);
        size = control == MessageBatch.NONE ? end : batch.controls().get(ValueLayout.JAVA_INT, control);
        // An empty datagram is one, too.
        left = size == 0 ? 1 : Math.ceilDiv(end, size);
        return true;
    }

    private boolean fill() {
        if (drained) {
            drained = false;
            return false;
        }
        // What the last call wrote has to be made ready again.
        for (int i = 0; i < received; i++) {
            batch.prepare(i, memory, at(i), MESSAGE_BYTES);
        }
        received = Math.max(0, socket.receive(batch));
        drained = received > 0 && received < BATCH;
        message = 0;
        return received > 0;
    }
}
