// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.ib;

import io.rdma4j.fabric.PacketReceiver;
import io.rdma4j.fabric.PortObserver;
import io.rdma4j.fabric.pma.PerformanceManagementAgent;
import io.rdma4j.fabric.pma.PerformanceManagementInterface;
import io.rdma4j.fabric.sma.ManagementHandler;
import io.rdma4j.fabric.sma.SubnetManagementAgent;
import io.rdma4j.fabric.sma.SubnetManagementInterface;
import io.rdma4j.packet.SkBuff;
import io.rdma4j.verbs.device.PortState;
import io.rdma4j.wire.Bth;
import io.rdma4j.wire.Deth;
import io.rdma4j.wire.Opcode;
import io.rdma4j.wire.ib.LinkNextHeader;
import io.rdma4j.wire.ib.LocalPacket;
import io.rdma4j.wire.ib.Lrh;
import io.rdma4j.wire.mad.Mad;
import io.rdma4j.wire.mad.sm.PkeyTableBlock;
import io.rdma4j.wire.mad.sm.Smp;
import io.rdma4j.wire.mad.table.MadAttribute;
import io.rdma4j.wire.roce.Icrc;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Queue pairs 0 and 1 of a node: the agents for subnet and performance management, then the listeners, then the
 * programs on the device of the node. For the owner of the loop.
 */
public final class NodeAgents implements PacketReceiver, PortObserver {
    private static final int HEADERS = Lrh.BYTES + Bth.BYTES + Deth.BYTES;
    private static final int PACKET_WORDS = (HEADERS + Mad.BYTES + Icrc.BYTES) / Lrh.WORD_BYTES;

    private final IbFabric fabric;
    private final String name;
    private final Consumer<SkBuff> managementPrograms;
    private final Consumer<SkBuff> otherPrograms;
    private final SubnetManagementInterface management;
    private final List<ManagementListener> listeners = new ArrayList<>();
    private @Nullable Attached attached;

    /** What is known when the node exists. */
    private record Attached(
            SubnetManagementAgent agent, PerformanceManagementInterface performance, Consumer<SkBuff> output) {}

    /**
     * @param managementPrograms owns the datagrams for queue pair 0 that are for programs
     * @param otherPrograms owns all other packets for programs
     */
    NodeAgents(IbFabric fabric, String name, Consumer<SkBuff> managementPrograms, Consumer<SkBuff> otherPrograms) {
        this.fabric = fabric;
        this.name = name;
        this.managementPrograms = managementPrograms;
        this.otherPrograms = otherPrograms;
        this.management = new SubnetManagementInterface(fabric.subnet(), fabric.datagrams(), new ManagementHandler() {
            @Override
            public void receive(SkBuff packet, long mad, int inputPort) {
                forManager(packet, mad);
            }

            @Override
            public boolean isManager() {
                return listeners.stream().anyMatch(ManagementListener::isManager);
            }
        });
    }

    /** Called once. The output sends packets of the node to its links, and owns them. */
    void attach(SubnetManagementAgent agent, PerformanceManagementAgent counters, Consumer<SkBuff> output) {
        attached = new Attached(
                agent,
                new PerformanceManagementInterface(counters, this::send, (packet, _) -> forPrograms(packet)),
                output);
        management.attach(agent);
    }

    private Attached parts() {
        if (attached == null) {
            throw new IllegalStateException("the agents have no node yet");
        }
        return attached;
    }

    // What the node is

    /** {@return the node description} */
    public String name() {
        return name;
    }

    /** {@return LID of the node, 0 before a subnet manager has assigned it} */
    public int lid() {
        return management.lid();
    }

    /** {@return the agent for subnet management} */
    public SubnetManagementAgent agent() {
        return parts().agent();
    }

    SubnetManagementInterface management() {
        return management;
    }

    // Listeners

    /**
     * Adds a listener, before the others.
     *
     * @param listener new one
     */
    public void add(ManagementListener listener) {
        listeners.addFirst(listener);
        managerChanged();
    }

    /**
     * Removes a listener.
     *
     * @param listener one that was added
     */
    public void remove(ManagementListener listener) {
        listeners.remove(listener);
        managerChanged();
    }

    /**
     * Announces whether one of the listeners is a subnet manager, and whether it is inactive; called when
     * {@link ManagementListener#isManager} or {@link ManagementListener#isDisabled} changes.
     */
    public void managerChanged() {
        List<ManagementListener> managers =
                listeners.stream().filter(ManagementListener::isManager).toList();
        agent().manager(!managers.isEmpty(), managers.stream().allMatch(ManagementListener::isDisabled));
        fabric.clock().changed();
    }

    /** The port of a channel adapter has changed its state. */
    void portChanged() {
        List.copyOf(listeners).forEach(ManagementListener::portChanged);
    }

    private boolean hear(SkBuff packet, long mad, int destinationQpn) {
        MemorySegment memory = packet.memory();
        int source = Lrh.sourceLid(memory, packet.data());
        int qpn = Deth.sourceQpn(memory, mad - Deth.BYTES);
        for (ManagementListener listener : List.copyOf(listeners)) {
            if (listener.receive(memory, mad, source, qpn, destinationQpn)) {
                packet.free();
                return true;
            }
        }
        return false;
    }

    // Packets

    @Override
    public void receive(SkBuff packet, int inputPort) {
        if (LocalPacket.isToQp0(packet.memory(), packet.data())) {
            management.receive(packet, inputPort);
        } else {
            parts().performance().receive(packet, inputPort);
        }
    }

    private void forManager(SkBuff packet, long mad) {
        if (!hear(packet, mad, 0)) {
            managementPrograms.accept(packet);
        }
    }

    private void forPrograms(SkBuff packet) {
        long mad = listeners.isEmpty() ? -1 : PerformanceManagementInterface.datagramOffset(packet);
        if (mad < 0 || !hear(packet, mad, PerformanceManagementInterface.GSI_QPN)) {
            otherPrograms.accept(packet);
        }
    }

    @Override
    public void stateChanged(int port, PortState state) {
        management.stateChanged(port, state);
    }

    @Override
    public void pkeyRejected(int port, SkBuff packet) {
        management.pkeyRejected(port, packet);
    }

    /** Sends a packet of queue pair 0 or 1, and owns it; one for the node itself does not leave it. */
    void send(SkBuff packet) {
        if (LocalPacket.isToQp0(packet.memory(), packet.data())) {
            management.send(packet);
        } else if (management.owns(Lrh.destinationLid(packet.memory(), packet.data()))) {
            parts().performance().receive(packet, 0);
        } else {
            parts().output().accept(packet);
        }
        fabric.clock().changed();
    }

    /**
     * Sends a datagram from queue pair 0.
     *
     * @param mad 256 bytes, copied during the call
     * @param lid destination; the permissive one for a directed route
     * @return false if there is no buffer
     */
    public boolean sendManagement(MemorySegment mad, int lid) {
        boolean isSent = management.send(mad, 0, lid);
        fabric.clock().changed();
        return isSent;
    }

    /**
     * Sends a datagram from queue pair 1, on service level 0 and with the first P_Key of the node.
     *
     * @param mad 256 bytes, copied during the call
     * @param lid destination
     * @param qpn of the destination
     * @return false if there is no buffer
     */
    public boolean sendGeneral(MemorySegment mad, int lid, int qpn) {
        SkBuff skb = fabric.datagrams().allocate();
        if (skb == null) {
            return false;
        }
        int at = skb.put(HEADERS + Mad.BYTES);
        MemorySegment memory = skb.memory();
        Lrh.write(memory, at, 0, 0, LinkNextHeader.LOCAL, lid, PACKET_WORDS, lid());
        Bth.write(memory, at + Lrh.BYTES, Opcode.UD_SEND_ONLY, false, false, 0, firstPkey(), qpn, false, 0);
        Deth.write(
                memory,
                at + Lrh.BYTES + Bth.BYTES,
                PerformanceManagementInterface.GSI_QKEY,
                PerformanceManagementInterface.GSI_QPN);
        MemorySegment.copy(mad, 0, memory, at + HEADERS, Mad.BYTES);
        send(skb);
        return true;
    }

    private int firstPkey() {
        MemorySegment table = MemorySegment.ofArray(new byte[Smp.DATA_BYTES]);
        agent().read(MadAttribute.P_KEY_TABLE, 0, table);
        return PkeyTableBlock.PKEYS.getInt(table, 0, 0);
    }
}
