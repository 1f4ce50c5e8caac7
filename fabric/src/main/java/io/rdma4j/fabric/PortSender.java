// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.fabric;

import io.rdma4j.fabric.LaneQueue.Crossing;
import io.rdma4j.wire.ib.Lrh;
import org.jspecify.annotations.Nullable;

/**
 * The output side of a port: one packet at a time, VL15 first, then by arbitration among the lanes with credits. A
 * packet that stays at the head of its lane longer than HOQLife is dropped; after a number of such drops in sequence
 * the lane is stalled, and drops every packet for eight times HOQLife.
 */
final class PortSender implements LaneQueue.Output {
    private static final int STALL_LIVES = 8;

    private final IbPort port;
    private final CrossingList[] waiting = new CrossingList[Lrh.LANES];
    private final int[] agedInSequence = new int[Lrh.LANES];
    private final long[] stalledUntilNs = new long[Lrh.LANES];
    private final FabricEvent[] ages = new FabricEvent[Lrh.LANES];
    private final VlArbiter arbiter = new VlArbiter();
    private final FabricEvent done = new FabricEvent() {
        @Override
        void fire() {
            sendingEnds();
        }
    };

    private @Nullable Crossing sending;
    private long waitsSinceNs = FabricParts.FOREVER;

    PortSender(IbPort port) {
        this.port = port;
        for (int lane = 0; lane < Lrh.LANES; lane++) {
            int own = lane;
            waiting[lane] = new CrossingList();
            ages[lane] = new FabricEvent() {
                @Override
                void fire() {
                    headAges(own);
                }
            };
        }
    }

    @Override
    public int number() {
        return port.number();
    }

    @Override
    public PortCounts counts() {
        return port.counts();
    }

    VlArbiter arbiter() {
        return arbiter;
    }

    private long nowNs() {
        return port.parts().schedule().nowNs();
    }

    @Override
    public void enqueue(Crossing crossing) {
        int lane = crossing.lane;
        if (nowNs() < stalledUntilNs[lane]) {
            port.counts().drop(DropReason.HEAD_OF_QUEUE);
            crossing.queue.crossed(crossing);
            return;
        }
        waiting[lane].add(crossing, nowNs());
        watchHead(lane);
        transmit();
    }

    @Override
    public boolean withdraw(Crossing crossing) {
        if (sending == crossing) {
            return false;
        }
        waiting[crossing.lane].remove(crossing, nowNs());
        watchHead(crossing.lane);
        return true;
    }

    /** Sends the next packet if the link is free. */
    void transmit() {
        if (sending != null || !port.isLinkUp()) {
            return;
        }
        int ready = 0;
        boolean some = false;
        for (int lane = 0; lane < Lrh.LANES; lane++) {
            Crossing head = waiting[lane].first();
            if (head != null) {
                some = true;
                boolean may = port.credits(lane).maySend(head.queue.head().blocks);
                ready |= may ? 1 << lane : 0;
            }
        }
        int lane = (ready >>> Lrh.MANAGEMENT_LANE & 1) != 0 ? Lrh.MANAGEMENT_LANE : arbiter.choose(ready);
        if (lane == VlArbiter.NONE) {
            waitsSinceNs = some && waitsSinceNs == FabricParts.FOREVER ? nowNs() : waitsSinceNs;
            return;
        }
        if (waitsSinceNs != FabricParts.FOREVER) {
            port.counts().add(PortCount.XMIT_WAIT, nowNs() - waitsSinceNs);
            waitsSinceNs = FabricParts.FOREVER;
        }
        send(waiting[lane].take(nowNs()), lane);
        watchHead(lane);
    }

    private void send(Crossing crossing, int lane) {
        sending = crossing;
        agedInSequence[lane] = 0;
        IbPacket copy = port.parts().packets().take();
        copy.copyOf(crossing.queue.head());
        copy.lane = lane;
        port.credits(lane).sent(copy.blocks);
        port.counts().sent(copy);
        if (lane != Lrh.MANAGEMENT_LANE) {
            arbiter.sent(copy.bytesOnLink());
        }
        LinkDirection direction = port.direction();
        long endNs = direction.endNs(copy);
        port.parts().schedule().at(done, endNs); // before the arrival, which may have the same time
        direction.send(copy, endNs);
    }

    private void sendingEnds() {
        Crossing crossing = sending;
        sending = null;
        if (crossing != null) {
            crossing.queue.crossed(crossing);
        }
        transmit();
    }

    /** The link is down: what is being sent is lost, what waits is dropped. */
    void clear() {
        port.parts().schedule().cancel(done);
        Crossing crossing = sending;
        sending = null;
        waitsSinceNs = FabricParts.FOREVER;
        if (crossing != null) {
            crossing.queue.crossed(crossing);
        }
        for (int lane = 0; lane < Lrh.LANES; lane++) {
            agedInSequence[lane] = 0;
            stalledUntilNs[lane] = 0;
            while (!waiting[lane].isEmpty()) {
                dropHead(lane, DropReason.INACTIVE);
            }
            watchHead(lane);
        }
    }

    private void dropHead(int lane, DropReason reason) {
        Crossing head = waiting[lane].take(nowNs());
        port.counts().drop(reason);
        head.queue.crossed(head);
    }

    private void watchHead(int lane) {
        if (waiting[lane].isEmpty() || port.headOfQueueLifeNs() == FabricParts.FOREVER || lane == Lrh.MANAGEMENT_LANE) {
            port.parts().schedule().cancel(ages[lane]);
        } else {
            port.parts().schedule().at(ages[lane], waiting[lane].headSinceNs() + port.headOfQueueLifeNs());
        }
    }

    private void headAges(int lane) {
        if (waiting[lane].isEmpty()) {
            return;
        }
        agedInSequence[lane]++;
        if (agedInSequence[lane] >= port.stallCount()) {
            agedInSequence[lane] = 0;
            stalledUntilNs[lane] = nowNs() + STALL_LIVES * port.headOfQueueLifeNs();
            while (!waiting[lane].isEmpty()) {
                dropHead(lane, DropReason.HEAD_OF_QUEUE);
            }
        } else {
            dropHead(lane, DropReason.HEAD_OF_QUEUE);
        }
        watchHead(lane);
    }
}
