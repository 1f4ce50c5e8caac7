// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.ib.carrier;

import io.rdma4j.base.Gid;
import io.rdma4j.base.Mtu;
import io.rdma4j.fabric.IbEndPort;
import io.rdma4j.hca.carrier.Carrier;
import io.rdma4j.hca.carrier.CarrierHeaders;
import io.rdma4j.hca.carrier.CarrierInput;
import io.rdma4j.hca.carrier.CarrierPath;
import io.rdma4j.hca.carrier.LocalPeers;
import io.rdma4j.hca.carrier.PathResolver;
import io.rdma4j.packet.SkBuff;
import io.rdma4j.packet.SkBuffPool;
import io.rdma4j.transport.port.TrainPackets;
import io.rdma4j.wire.ib.LocalPacket;
import io.rdma4j.wire.ib.Lrh;
import java.util.function.Consumer;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Carries packets over an end port of a fabric. It copies each packet once, as an adapter reads it from memory, so that
 * packets in the fabric do not refer to memory of programs. A port stalls when a lane has {@link #MAX_WAITING} packets
 * that wait for the link.
 */
public final class LidCarrier implements Carrier {
    /** Packets of a lane that wait for credits before the port stalls. */
    static final int MAX_WAITING = 1024;

    private static final int BUFFERS = 16 * MAX_WAITING;
    private static final int BUFFER_BYTES = Mtu.MTU_4096.bytes() + LocalPacket.MAX_HEADER_BYTES;

    private final IbEndPort port;
    private final LidLink link;
    private final LidPaths paths;
    private final LidHeaders headers;
    private final Runnable onSend;
    private final BadPkeyListener onBadPkey;
    private final Consumer<SkBuff> agents;
    private final LidInput input;
    private final SkBuffPool buffers = SkBuffPool.growing(BUFFERS, BUFFER_BYTES);

    private @Nullable SkBuff stalled;
    private int sentOfStalled;

    /**
     * @param port sends the packets
     * @param link of the port
     * @param onSend called after packets were given to the port
     * @param onBadPkey hears of packets of other partitions
     * @param agents takes the datagrams of queue pairs 0 and 1, and owns them
     */
    public LidCarrier(
            IbEndPort port, LidLink link, Runnable onSend, BadPkeyListener onBadPkey, Consumer<SkBuff> agents) {
        this.port = port;
        this.link = link;
        this.onSend = onSend;
        this.onBadPkey = onBadPkey;
        this.agents = agents;
        this.paths = new LidPaths(link);
        this.headers = new LidHeaders(port, link);
        this.input = new LidInput(headers);
    }

    /** Receives the packets of the port that are not for its agents. */
    public LidInput input() {
        return input;
    }

    @Override
    public LidLink link() {
        return link;
    }

    @Override
    public PathResolver paths() {
        return paths;
    }

    @Override
    public CarrierHeaders headers() {
        return headers;
    }

    @Override
    public LocalPeers localPeers() {
        return LocalPeers.NONE;
    }

    @Override
    public void transmit(SkBuff skb, CarrierPath path) {
        send(skb, 0);
    }

    private void send(SkBuff train, int from) {
        if (headers.isForAgents(train)) {
            sendManagement(train);
        } else {
            sendPackets(train, from);
        }
    }

    private void sendManagement(SkBuff datagram) {
        SkBuff packet = buffers.allocate();
        if (packet != null && headers.offload().segment(datagram, 0, packet)) {
            agents.accept(packet);
        } else {
            link.countDropped();
            if (packet != null) {
                packet.free();
            }
        }
        datagram.free();
    }

    private void sendPackets(SkBuff train, int from) {
        int level = Lrh.serviceLevel(train.memory(), train.data());
        int count = TrainPackets.count(train);
        int index = from;
        while (index < count && port.waiting(level) < MAX_WAITING) {
            SkBuff packet = buffers.allocate();
            if (packet == null) {
                break;
            }
            index++;
            if (headers.offload().segment(train, index - 1, packet)) {
                port.send(packet);
            } else {
                link.countDropped();
                packet.free();
            }
        }
        if (index > from) {
            onSend.run();
        }
        if (index < count) {
            stalled = train;
            sentOfStalled = index;
        } else {
            train.free();
        }
    }

    @Override
    public boolean isStalled() {
        return stalled != null;
    }

    @Override
    public boolean flush() {
        SkBuff waiting = stalled;
        if (waiting != null) {
            stalled = null;
            send(waiting, sentOfStalled);
        }
        return stalled == null;
    }

    @Override
    public boolean finish(SkBuff skb) {
        return input.finish(skb);
    }

    @Override
    public void badPkey(SkBuff skb) {
        headers.report(skb, onBadPkey);
    }

    @Override
    public void dropWaiting(Predicate<SkBuff> condition) {
        SkBuff waiting = stalled;
        if (waiting != null && condition.test(waiting)) {
            stalled = null;
            waiting.free();
        }
    }

    /** {@inheritDoc} Packets in the fabric are copies. */
    @Override
    public void dropHeld(Predicate<SkBuff> condition) {}

    /** {@inheritDoc} The subnet administrator routes the group to the port; the port itself takes every group. */
    @Override
    public void join(Gid group) {}

    @Override
    public void leave(Gid group) {}

    @Override
    public void start(CarrierInput receiver) {
        input.start(receiver);
    }

    @Override
    public void stop() {
        input.stop();
    }

    /** Frees the packet buffers, of which none is in use any more. */
    public void close() {
        buffers.close();
    }
}
