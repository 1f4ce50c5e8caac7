// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.fabric;

import io.rdma4j.base.Errno;
import io.rdma4j.base.RdmaException;
import io.rdma4j.packet.SkBuff;
import io.rdma4j.verbs.device.PortState;
import io.rdma4j.wire.ib.Lid;
import io.rdma4j.wire.ib.LinkNextHeader;
import io.rdma4j.wire.ib.Lrh;

/**
 * A port of a channel adapter: sends the packets of its owner, and passes those for its LIDs to it. One thread at a
 * time.
 */
public final class IbEndPort extends IbNode {
    private static final int MAX_LMC = 7;

    private final FabricParts parts;
    private final IbPort port;
    private final LaneQueue[] queues = new LaneQueue[Lrh.LANES];
    private final int[] slToVl = new int[Lrh.LANES];
    private final PacketReceiver receiver;
    private final PortObserver observer;
    private int lid = Lid.NONE;
    private int lmc;

    IbEndPort(FabricParts parts, int number, PacketReceiver receiver, PortObserver observer) {
        this.parts = parts;
        this.receiver = receiver;
        this.observer = observer;
        this.port = new IbPort(parts, this, number);
        for (int lane = 0; lane < Lrh.LANES; lane++) {
            queues[lane] = new LaneQueue(port.owner(), parts, number, lane, false);
            slToVl[lane] = lane;
        }
    }

    /** {@return the port with its link} */
    public IbPort port() {
        return port;
    }

    /** {@return the first LID; 0 before a subnet manager has assigned one} */
    public int lid() {
        return lid;
    }

    /** {@return {@code LMC}: number of low bits of the LID that may vary} */
    public int lmc() {
        return lmc;
    }

    /**
     * {@return true for a LID of the port}
     *
     * @param candidate 16 bits
     */
    public boolean owns(int candidate) {
        return lid != Lid.NONE && candidate >> lmc == lid >> lmc;
    }

    /**
     * Assigns the LIDs.
     *
     * @param base first one, a multiple of 2 to the power of {@code maskBits}
     * @param maskBits {@code LMC}: number of low bits that may vary, 0..7
     * @throws RdmaException EINVAL if they are no unicast LIDs or not aligned
     */
    public void lid(int base, int maskBits) {
        if (maskBits < 0 || maskBits > MAX_LMC || !Lid.isUnicast(base) || (base & (1 << maskBits) - 1) != 0) {
            throw new RdmaException(
                    Errno.EINVAL, "base LID " + base + " with LMC " + maskBits + ": not aligned, or no unicast LID");
        }
        lid = base;
        lmc = maskBits;
    }

    /**
     * Sets the virtual lane of a service level.
     *
     * @param serviceLevel 0..15
     * @param lane 0..14, or {@link IbSwitch#DROP_LANE}
     * @throws RdmaException EINVAL for a value out of range
     */
    public void slToVl(int serviceLevel, int lane) {
        IbSwitch.requireLane(serviceLevel, lane);
        slToVl[serviceLevel] = lane;
    }

    /**
     * Sends a packet. It waits until the link has taken it; packets of a lane leave in order.
     *
     * @param packet begins with its local route header, whose lane is 15 for subnet management and otherwise ignored;
     *     the fabric owns it
     * @return false if its headers are malformed, or the port does not admit it; it is freed then
     */
    public boolean send(SkBuff packet) {
        IbPacket taken = parts.packets().take();
        if (!taken.read(packet)) {
            parts.packets().give(taken);
            return false;
        }
        int lane = taken.isManagement() ? Lrh.MANAGEMENT_LANE : slToVl[taken.serviceLevel];
        DropReason reason = port.refusal(taken, lane);
        if (reason != null) {
            port.counts().drop(reason);
            parts.packets().give(taken);
            return false;
        }
        taken.arrivesNs = parts.schedule().nowNs();
        queues[lane].add(taken);
        return true;
    }

    /**
     * {@return number of packets that wait for the link}
     *
     * @param serviceLevel 0..15
     */
    public int waiting(int serviceLevel) {
        return queues[slToVl[serviceLevel]].length();
    }

    @Override
    long lifeNs() {
        return FabricParts.FOREVER;
    }

    @Override
    void stateChanged(int number, PortState state) {
        observer.stateChanged(number, state);
    }

    @Override
    void route(LaneQueue queue, IbPacket packet) {
        if (!queue.isInput()) {
            int lane = packet.isManagement() ? Lrh.MANAGEMENT_LANE : slToVl[packet.serviceLevel];
            DropReason reason = port.refusal(packet, lane);
            if (reason == null) {
                queue.cross(port.sender(), lane);
            } else {
                port.counts().drop(reason);
            }
        } else if (isMine(packet)) {
            deliver(queue.take());
        } else {
            port.counts().drop(DropReason.NOT_MINE);
        }
    }

    private void deliver(IbPacket packet) {
        SkBuff buffer = parts.packets().take(packet);
        if (buffer == null) {
            port.counts().drop(DropReason.OVERRUN);
        } else {
            receiver.receive(buffer, port.number());
        }
    }

    private boolean isMine(IbPacket packet) {
        if (packet.dlid == Lid.PERMISSIVE) {
            return packet.isManagement();
        }
        if (packet.isMulticast()) {
            return packet.nextHeader == LinkNextHeader.GLOBAL || packet.nextHeader.isRaw();
        }
        return owns(packet.dlid);
    }
}
