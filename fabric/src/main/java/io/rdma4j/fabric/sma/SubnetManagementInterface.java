// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.fabric.sma;

import io.rdma4j.fabric.IbSubnet;
import io.rdma4j.fabric.PacketReceiver;
import io.rdma4j.fabric.PortObserver;
import io.rdma4j.packet.SkBuff;
import io.rdma4j.packet.SkBuffPool;
import io.rdma4j.verbs.device.PortState;
import io.rdma4j.wire.Bth;
import io.rdma4j.wire.Deth;
import io.rdma4j.wire.Opcode;
import io.rdma4j.wire.ib.Lid;
import io.rdma4j.wire.ib.LinkNextHeader;
import io.rdma4j.wire.ib.LocalPacket;
import io.rdma4j.wire.ib.Lrh;
import io.rdma4j.wire.mad.Mad;
import io.rdma4j.wire.mad.MadCheck;
import io.rdma4j.wire.mad.MadClass;
import io.rdma4j.wire.mad.MadMethod;
import io.rdma4j.wire.mad.MadStatus;
import io.rdma4j.wire.mad.sm.Smp;
import io.rdma4j.wire.mad.table.MadAttribute;
import io.rdma4j.wire.roce.Icrc;
import io.rdma4j.wire.roce.RocePacket;
import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;

/**
 * Queue pair 0 of a node (the SMI of IBA 14.2): forwards directed-routed datagrams, hands requests to the agent of the
 * node, and responses to the subnet manager of the node. It is the receiver and the observer of a switch or of an end
 * port. One thread at a time.
 */
public final class SubnetManagementInterface implements PacketReceiver, PortObserver {
    private static final int HEADERS = Lrh.BYTES + Bth.BYTES + Deth.BYTES;
    private static final int PACKET_WORDS = (HEADERS + Mad.BYTES + Icrc.BYTES) / Lrh.WORD_BYTES;

    private final IbSubnet subnet;
    private final SkBuffPool buffers;
    private final ManagementHandler manager;
    private final ManagementCounts counts = new ManagementCounts();
    private @Nullable SubnetManagementAgent agent;

    /**
     * Creates the interface of a node.
     *
     * @param subnet of the node
     * @param buffers for the datagrams that {@link #send} sends, of at least 288 bytes
     * @param manager receives the datagrams for the subnet manager of the node
     */
    public SubnetManagementInterface(IbSubnet subnet, SkBuffPool buffers, ManagementHandler manager) {
        this.subnet = subnet;
        this.buffers = buffers;
        this.manager = manager;
    }

    /**
     * Sets the agent, which knows the node. Called once, before the first packet arrives.
     *
     * @param nodeAgent answers requests
     */
    public void attach(SubnetManagementAgent nodeAgent) {
        agent = nodeAgent;
        nodeAgent.start(this, subnet);
    }

    /** {@return what was dropped} */
    public ManagementCounts counts() {
        return counts;
    }

    /** {@return LID of the node, 0 before a subnet manager has assigned it} */
    public int lid() {
        return requireAgent().node().lid();
    }

    /**
     * {@return true for a LID of the node itself}
     *
     * @param candidate 16 bits
     */
    public boolean owns(int candidate) {
        return requireAgent().node().owns(candidate);
    }

    private SubnetManagementAgent requireAgent() {
        if (agent == null) {
            throw new IllegalStateException("the interface has no agent yet");
        }
        return agent;
    }

    /**
     * Sends a datagram of the subnet manager at this node. A directed route whose {@code DrSLID} is not permissive
     * begins with a LID-routed part.
     *
     * @param memory of the datagram; it is copied
     * @param offset of its first byte
     * @param destinationLid LID, or {@link Lid#PERMISSIVE} for a directed route
     * @return false if there is no buffer
     */
    public boolean send(MemorySegment memory, long offset, int destinationLid) {
        SkBuff skb = buffers.allocate();
        if (skb == null) {
            return false;
        }
        int at = skb.put(HEADERS + Mad.BYTES);
        MemorySegment.copy(memory, offset, skb.memory(), at + HEADERS, Mad.BYTES);
        writeHeaders(skb, at, destinationLid, requireAgent().node().lid());
        send(skb);
        return true;
    }

    /**
     * Sends a datagram that the subnet manager at this node has made a packet of. It may be for the node itself.
     *
     * @param packet begins with its local route header, and ends with the datagram; this object owns it
     */
    public void send(SkBuff packet) {
        long mad = madOffset(packet);
        if (mad < 0) {
            counts.addMalformed();
            packet.free();
            return;
        }
        MemorySegment memory = packet.memory();
        ManagedNode node = requireAgent().node();
        if (isDirected(memory, mad) && Smp.DR_SLID.getInt(memory, mad) == Lid.PERMISSIVE) {
            writeHeaders(packet, packet.data(), Lid.PERMISSIVE, Lid.PERMISSIVE);
            advance(packet, mad, 0);
        } else if (node.owns(Lrh.destinationLid(memory, packet.data()))) {
            receive(packet, 0);
        } else {
            node.send(packet);
        }
    }

    private static void writeHeaders(SkBuff skb, int at, int dlid, int slid) {
        MemorySegment memory = skb.memory();
        Lrh.write(memory, at, Lrh.MANAGEMENT_LANE, 0, LinkNextHeader.LOCAL, dlid, PACKET_WORDS, slid);
        Bth.write(memory, at + Lrh.BYTES, Opcode.UD_SEND_ONLY, false, false, 0, 0xFFFF, 0, false, 0);
        Deth.write(memory, at + Lrh.BYTES + Bth.BYTES, 0, 0);
    }

    @Override
    public void stateChanged(int port, PortState state) {
        if (agent != null) {
            agent.portChanged();
        }
    }

    @Override
    public void pkeyRejected(int port, SkBuff packet) {
        if (agent != null) {
            agent.pkeyRejected(port, packet);
        }
    }

    private static boolean isDirected(MemorySegment memory, long mad) {
        return Mad.MGMT_CLASS.getInt(memory, mad) == MadClass.SUBN_DIRECTED_ROUTE.code();
    }

    @Override
    public void receive(SkBuff packet, int inputPort) {
        long mad = madOffset(packet);
        if (mad < 0) {
            counts.addMalformed();
            packet.free();
        } else if (isDirected(packet.memory(), mad)) {
            advance(packet, mad, inputPort);
        } else {
            handle(packet, mad, inputPort);
        }
    }

    /** Returns the offset of the datagram, or -1. The bytes may change, so the packet has no ICRC afterwards. */
    private static long madOffset(SkBuff packet) {
        if (!packet.linearize() || packet.headLen() < HEADERS + Mad.BYTES) {
            return -1;
        }
        MemorySegment memory = packet.memory();
        long bth = LocalPacket.bthOffset(memory, packet.data());
        int transport = LocalPacket.transportBytes(memory, packet.data());
        if (Lrh.nextHeader(memory, packet.data()) != LinkNextHeader.LOCAL
                || Bth.opcode(memory, bth) != Opcode.UD_SEND_ONLY
                || RocePacket.payloadBytes(memory, bth, transport, Opcode.UD_SEND_ONLY) != Mad.BYTES) {
            return -1;
        }
        packet.trim(HEADERS + Mad.BYTES);
        long mad = bth + Bth.BYTES + Deth.BYTES;
        MadClass mgmtClass = MadClass.of(Mad.MGMT_CLASS.getInt(memory, mad));
        return Mad.check(memory, mad, Mad.BYTES) == MadCheck.OK && mgmtClass != null && mgmtClass.isManagement()
                ? mad
                : -1;
    }

    /** Takes a directed-routed datagram one hop further. */
    private void advance(SkBuff packet, long mad, int inputPort) {
        ManagedNode node = requireAgent().node();
        MemorySegment memory = packet.memory();
        int output = DirectedRoute.step(memory, mad, inputPort, node.isSwitch(), node.portCount());
        switch (output) {
            case DirectedRoute.AGENT, DirectedRoute.MANAGER -> handle(packet, mad, inputPort);
            case DirectedRoute.BY_LID -> {
                boolean isResponse = (Mad.STATUS.getInt(memory, mad) & MadStatus.DIRECTION) != 0;
                int dlid = (isResponse ? Smp.DR_SLID : Smp.DR_DLID).getInt(memory, mad);
                writeHeaders(packet, packet.data(), dlid, node.lid());
                node.send(packet);
            }
            case DirectedRoute.DROP -> {
                counts.addUnroutable();
                packet.free();
            }
            default -> {
                writeHeaders(packet, packet.data(), Lid.PERMISSIVE, Lid.PERMISSIVE);
                node.sendBy(packet, output);
            }
        }
    }

    private void handle(SkBuff packet, long mad, int inputPort) {
        MemorySegment memory = packet.memory();
        int method = Mad.METHOD.getInt(memory, mad);
        boolean isForManager = (method & MadMethod.RESPONSE) != 0
                || method == MadMethod.TRAP.code()
                || method == MadMethod.TRAP_REPRESS.code() && !requireAgent().hasSent(memory, mad)
                || manager.isManager() && Mad.ATTRIBUTE_ID.getInt(memory, mad) == MadAttribute.SM_INFO.attributeId();
        if (isForManager) {
            manager.receive(packet, mad, inputPort);
            return;
        }
        if (!requireAgent().answer(memory, mad, inputPort, counts)) {
            packet.free();
            return;
        }
        Mad.METHOD.put(memory, mad, MadMethod.GET.responseCode());
        if (isDirected(memory, mad)) {
            Mad.STATUS.put(memory, mad, Mad.STATUS.getInt(memory, mad) | MadStatus.DIRECTION);
            advance(packet, mad, inputPort);
        } else {
            int requester = Lrh.sourceLid(memory, packet.data());
            writeHeaders(packet, packet.data(), requester, requireAgent().node().lid());
            send(packet);
        }
    }
}
