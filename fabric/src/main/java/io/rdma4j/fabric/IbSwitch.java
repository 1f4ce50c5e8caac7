// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.fabric;

import io.rdma4j.base.Errno;
import io.rdma4j.base.RdmaException;
import io.rdma4j.packet.SkBuff;
import io.rdma4j.verbs.device.PortState;
import io.rdma4j.wire.ib.Lid;
import io.rdma4j.wire.ib.Lrh;

/**
 * A switch: forwards packets between its ports by its {@link ForwardingTables}. Port 0 is the switch itself. Packets
 * wait in the input buffer of their lane; the first one of each lane crosses to an output port. One thread at a time.
 */
public final class IbSwitch extends IbNode {
    /** Entry of an SL-to-VL table that drops the packets. */
    public static final int DROP_LANE = 15;

    private static final int LEVELS = 16;
    private static final int MAX_PORTS = 254;

    private final FabricParts parts;
    private final IbPort[] ports;
    private final LaneQueue[] own = new LaneQueue[Lrh.LANES];
    private final ForwardingTables tables;
    private final byte[] slToVl;
    private final PacketReceiver receiver;
    private final PortObserver observer;
    private long lifeNs = FabricParts.FOREVER;
    private int lid = Lid.NONE;

    IbSwitch(
            FabricParts parts,
            int portCount,
            int linearCap,
            int multicastCap,
            PacketReceiver receiver,
            PortObserver observer) {
        if (portCount < 1 || portCount > MAX_PORTS) {
            throw new RdmaException(Errno.EINVAL, "a switch has 1.." + MAX_PORTS + " ports, not " + portCount);
        }
        this.parts = parts;
        this.receiver = receiver;
        this.observer = observer;
        this.tables = new ForwardingTables(portCount, linearCap, multicastCap);
        this.ports = new IbPort[portCount + 1];
        for (int i = 0; i <= portCount; i++) {
            ports[i] = new IbPort(parts, this, i);
        }
        for (int lane = 0; lane < Lrh.LANES; lane++) {
            own[lane] = new LaneQueue(ports[0].owner(), parts, 0, lane, false);
        }
        this.slToVl = new byte[ports.length * ports.length * LEVELS];
        for (int i = 0; i < slToVl.length; i++) {
            slToVl[i] = (byte) (i % LEVELS);
        }
    }

    /** {@return number of ports with a link} */
    public int portCount() {
        return ports.length - 1;
    }

    /**
     * {@return a port}
     *
     * @param number from 1 to {@link #portCount}
     * @throws RdmaException EINVAL for another number
     */
    public IbPort port(int number) {
        if (number < 1 || number >= ports.length) {
            throw new RdmaException(Errno.EINVAL, "the switch has ports 1.." + portCount() + ", not " + number);
        }
        return ports[number];
    }

    /** {@return the forwarding tables} */
    public ForwardingTables tables() {
        return tables;
    }

    /**
     * Sets an entry of an SL-to-VL table.
     *
     * @param inputPort port at which packets arrive; 0 for those of the switch itself
     * @param outputPort port by which they leave
     * @param serviceLevel 0..15
     * @param lane 0..14, or {@link #DROP_LANE}
     * @throws RdmaException EINVAL for a value out of range
     */
    public void slToVl(int inputPort, int outputPort, int serviceLevel, int lane) {
        if (inputPort != 0) {
            port(inputPort);
        }
        port(outputPort);
        requireLane(serviceLevel, lane);
        slToVl[entry(inputPort, outputPort, serviceLevel)] = (byte) lane;
    }

    static void requireLane(int serviceLevel, int lane) {
        if (serviceLevel < 0 || serviceLevel >= LEVELS || lane < 0 || lane > DROP_LANE) {
            throw new RdmaException(
                    Errno.EINVAL, "levels and lanes are 0..15, not level " + serviceLevel + ", lane " + lane);
        }
    }

    private int entry(int inputPort, int outputPort, int serviceLevel) {
        return (inputPort * ports.length + outputPort) * LEVELS + serviceLevel;
    }

    /**
     * Sets the LID of the switch itself, whose packets go to port 0 whatever the tables hold.
     *
     * @param own a unicast LID
     * @throws RdmaException EINVAL for another LID
     */
    public void ownLid(int own) {
        if (!Lid.isUnicast(own)) {
            throw new RdmaException(Errno.EINVAL, "LID " + own + " is no unicast LID");
        }
        lid = own;
    }

    /**
     * Sets the longest stay of a packet, {@code LifeTimeValue}.
     *
     * @param exponent of 4.096 µs; above 19 without limit
     */
    public void lifeTime(int exponent) {
        lifeNs = FabricParts.lifeNs(exponent);
    }

    @Override
    long lifeNs() {
        return lifeNs;
    }

    @Override
    void stateChanged(int number, PortState state) {
        observer.stateChanged(number, state);
    }

    @Override
    void pkeyRejected(int number, IbPacket packet) {
        observer.pkeyRejected(number, packet.buffer());
    }

    /**
     * Sends a packet of the switch itself: by its destination LID.
     *
     * @param packet begins with its local route header; the switch owns it
     * @return false if its headers are malformed; it is freed then
     */
    public boolean send(SkBuff packet) {
        return send(packet, 0);
    }

    /**
     * Sends a packet of the switch itself by a port, as directed routes do.
     *
     * @param packet a datagram of subnet management, which begins with its local route header; the switch owns it
     * @param outputPort from 1 on
     * @return false if its headers are malformed; it is freed then
     */
    public boolean sendBy(SkBuff packet, int outputPort) {
        return send(packet, port(outputPort).number());
    }

    private boolean send(SkBuff skb, int output) {
        IbPacket packet = parts.packets().take();
        if (!packet.read(skb)) {
            parts.packets().give(packet);
            return false;
        }
        packet.arrivesNs = parts.schedule().nowNs();
        packet.directedPort = output;
        own[packet.lane].add(packet);
        return true;
    }

    @Override
    void route(LaneQueue queue, IbPacket packet) {
        IbPort input = ports[queue.port()];
        if (packet.directedPort != 0) {
            forward(queue, packet, ports[packet.directedPort]);
        } else if (packet.dlid == Lid.PERMISSIVE) {
            routePermissive(queue, packet);
        } else if (packet.isMulticast()) {
            routeMulticast(queue, packet);
        } else {
            int output = packet.dlid == lid && lid != Lid.NONE ? 0 : tables.unicast(packet.dlid);
            if (output == ForwardingTables.NO_PORT) {
                input.counts().drop(DropReason.NO_ROUTE);
            } else if (output == 0) {
                deliver(ports[queue.port()], queue.take());
            } else if (output == input.number()) {
                input.counts().drop(DropReason.LOOP);
            } else {
                forward(queue, packet, ports[output]);
            }
        }
    }

    private void routePermissive(LaneQueue queue, IbPacket packet) {
        if (packet.isManagement()) {
            deliver(ports[queue.port()], queue.take());
        } else {
            ports[queue.port()].counts().drop(DropReason.NO_ROUTE);
        }
    }

    private void routeMulticast(LaneQueue queue, IbPacket packet) {
        int input = queue.port();
        int copies = 0;
        for (int output = 1; output < ports.length; output++) {
            if (output != input && tables.isMember(packet.dlid, output, input)) {
                copies++;
                forward(queue, packet, ports[output]);
            }
        }
        if (input != 0 && tables.isMember(packet.dlid, 0, input)) {
            copies++;
            IbPacket copy = parts.packets().take();
            copy.copyOf(packet);
            deliver(ports[queue.port()], copy);
        }
        if (copies == 0) {
            ports[queue.port()].counts().drop(DropReason.NO_ROUTE);
        }
    }

    private void deliver(IbPort input, IbPacket packet) {
        SkBuff buffer = parts.packets().take(packet);
        if (buffer == null) {
            input.counts().drop(DropReason.OVERRUN);
        } else {
            receiver.receive(buffer, input.number());
        }
    }

    private void forward(LaneQueue queue, IbPacket packet, IbPort output) {
        int lane = packet.isManagement()
                ? Lrh.MANAGEMENT_LANE
                : slToVl[entry(queue.port(), output.number(), packet.serviceLevel)];
        DropReason reason = output.refusal(packet, lane);
        if (reason == null) {
            queue.cross(output.sender(), lane);
        } else {
            output.counts().drop(reason);
            output.tellOfPkey(reason, packet);
        }
    }
}
