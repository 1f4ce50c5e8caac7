// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.fabric.pma;

import io.rdma4j.fabric.PacketReceiver;
import io.rdma4j.packet.SkBuff;
import io.rdma4j.wire.Bth;
import io.rdma4j.wire.Deth;
import io.rdma4j.wire.Grh;
import io.rdma4j.wire.Opcode;
import io.rdma4j.wire.ib.LinkNextHeader;
import io.rdma4j.wire.ib.LocalPacket;
import io.rdma4j.wire.ib.Lrh;
import io.rdma4j.wire.ip.Ipv6;
import io.rdma4j.wire.mad.Mad;
import io.rdma4j.wire.mad.MadClass;
import io.rdma4j.wire.mad.MadMethod;
import java.lang.foreign.MemorySegment;
import java.util.function.Consumer;

/**
 * The part of queue pair 1 that belongs to the node and not to its programs: takes the requests of performance
 * management, and passes all other packets on. One thread at a time.
 */
public final class PerformanceManagementInterface implements PacketReceiver {
    /** Number of the queue pair of the general services. */
    public static final int GSI_QPN = 1;
    /** Q_Key of its datagrams. */
    public static final int GSI_QKEY = 0x8001_0000;

    private static final int HEADERS = Bth.BYTES + Deth.BYTES;

    private final PerformanceManagementAgent agent;
    private final Consumer<SkBuff> sender;
    private final PacketReceiver others;

    /**
     * Creates the interface of a node.
     *
     * @param agent answers the requests
     * @param sender sends the answers; it owns the packets
     * @param others receives all other packets
     */
    public PerformanceManagementInterface(
            PerformanceManagementAgent agent, Consumer<SkBuff> sender, PacketReceiver others) {
        this.agent = agent;
        this.sender = sender;
        this.others = others;
    }

    @Override
    public void receive(SkBuff packet, int inputPort) {
        if (!isRequest(packet)) {
            others.receive(packet, inputPort);
            return;
        }
        MemorySegment memory = packet.memory();
        long bth = LocalPacket.bthOffset(memory, packet.data());
        packet.trim((int) (bth - packet.data()) + HEADERS + Mad.BYTES);
        agent.answer(memory, bth + HEADERS);
        turn(memory, packet.data(), bth);
        sender.accept(packet);
    }

    private static boolean isRequest(SkBuff packet) {
        long mad = datagramOffset(packet);
        if (mad < 0 || packet.isCloned()) {
            return false;
        }
        MemorySegment memory = packet.memory();
        int method = Mad.METHOD.getInt(memory, mad);
        return Mad.BASE_VERSION.getInt(memory, mad) == Mad.BASE_VERSION_1
                && Mad.MGMT_CLASS.getInt(memory, mad) == MadClass.PERF_MGT.code()
                && (method == MadMethod.GET.code() || method == MadMethod.SET.code());
    }

    /**
     * {@return offset of the management datagram in the memory of a packet for queue pair 1, or -1 for other packets}
     *
     * @param packet begins with its local route header; it becomes linear
     */
    public static long datagramOffset(SkBuff packet) {
        if (Lrh.nextHeader(packet.memory(), packet.data()).isRaw() || !packet.linearize()) {
            return -1;
        }
        MemorySegment memory = packet.memory();
        int at = packet.data();
        long bth = LocalPacket.bthOffset(memory, at);
        return Bth.destinationQpn(memory, bth) == GSI_QPN
                        && Bth.opcode(memory, bth) == Opcode.UD_SEND_ONLY
                        && packet.headLen() >= bth - at + HEADERS + Mad.BYTES
                        && Deth.qkey(memory, bth + Bth.BYTES) == GSI_QKEY
                ? bth + HEADERS
                : -1;
    }

    /** Makes the packet one from its destination to its source. */
    private static void turn(MemorySegment memory, int at, long bth) {
        LinkNextHeader next = Lrh.nextHeader(memory, at);
        Lrh.write(
                memory,
                at,
                0,
                Lrh.serviceLevel(memory, at),
                next,
                Lrh.sourceLid(memory, at),
                Lrh.packetLength(memory, at),
                Lrh.destinationLid(memory, at));
        if (next == LinkNextHeader.GLOBAL) {
            turnRoute(memory, at + (long) Lrh.BYTES);
        }
        int requester = Deth.sourceQpn(memory, bth + Bth.BYTES);
        int pkey = Bth.pkey(memory, bth);
        Bth.write(memory, bth, Opcode.UD_SEND_ONLY, false, false, 0, pkey, requester, false, 0);
        Deth.write(memory, bth + Bth.BYTES, GSI_QKEY, GSI_QPN);
    }

    private static void turnRoute(MemorySegment memory, long grh) {
        Grh.write(
                memory,
                grh,
                Ipv6.trafficClass(memory, grh),
                Ipv6.flowLabel(memory, grh),
                Ipv6.payloadLength(memory, grh),
                0xFF,
                Ipv6.destinationPrefix(memory, grh),
                Ipv6.destinationInterfaceId(memory, grh),
                Ipv6.sourcePrefix(memory, grh),
                Ipv6.sourceInterfaceId(memory, grh));
    }
}
