// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.ib.carrier;

import io.rdma4j.fabric.IbEndPort;
import io.rdma4j.hca.carrier.CarrierHeaders;
import io.rdma4j.hca.carrier.CarrierPath;
import io.rdma4j.packet.SkBuff;
import io.rdma4j.transport.port.QpPort;
import io.rdma4j.transport.port.TrainPackets;
import io.rdma4j.verbs.spi.ring.CompletionEntry;
import io.rdma4j.verbs.values.GlobalRoute;
import io.rdma4j.verbs.wr.WcFlag;
import io.rdma4j.wire.Bth;
import io.rdma4j.wire.Deth;
import io.rdma4j.wire.Header;
import io.rdma4j.wire.Opcode;
import io.rdma4j.wire.ib.Lid;
import io.rdma4j.wire.ib.LinkNextHeader;
import io.rdma4j.wire.ib.LocalPacket;
import io.rdma4j.wire.ib.Lrh;
import io.rdma4j.wire.ip.Ipv6;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/** Local and global route headers (IBA 7.7, 8.3). The network header of a received packet is its local route header. */
final class LidHeaders implements CarrierHeaders {
    private static final int GSI_QPN = 1;

    private final IbEndPort port;
    private final LidLink link;
    private final LidOffload offload = new LidOffload();

    LidHeaders(IbEndPort port, LidLink link) {
        this.port = port;
        this.link = link;
    }

    LidOffload offload() {
        return offload;
    }

    private int slid(LidPath path) {
        return port.lid() | path.pathBits() & (1 << port.lmc()) - 1;
    }

    private static int lrh(SkBuff skb) {
        return skb.networkHeader();
    }

    private static boolean hasGrh(SkBuff skb) {
        return Lrh.nextHeader(skb.memory(), lrh(skb)) == LinkNextHeader.GLOBAL;
    }

    private static long grh(SkBuff skb) {
        return lrh(skb) + (long) Lrh.BYTES;
    }

    // Sending

    @Override
    public void push(SkBuff skb, CarrierPath path) {
        LidPath to = (LidPath) path;
        int transportBytes = LidPath.transportBytes(TrainPackets.firstBytes(skb, 0));
        int at = skb.push(to.headerBytes());
        to.write(skb.memory(), at, slid(to), transportBytes);
        if (LocalPacket.isToQp0(skb.memory(), at)) {
            Lrh.virtualLane(skb.memory(), at, Lrh.MANAGEMENT_LANE);
        }
        skb.setNetworkHeader(0);
        skb.shinfo().offload(offload);
    }

    @Override
    public void pull(SkBuff skb) {
        skb.pull((int) (LocalPacket.bthOffset(skb.memory(), lrh(skb)) - lrh(skb)));
    }

    /** {@inheritDoc} Queue pairs 0 and 1, which subnet and performance management share with programs. */
    @Override
    public boolean isForAgents(SkBuff skb) {
        return Bth.destinationQpn(skb.memory(), LocalPacket.bthOffset(skb.memory(), skb.data())) <= GSI_QPN;
    }

    @Override
    public boolean leadsHere(CarrierPath path) {
        return port.owns(((LidPath) path).dlid());
    }

    /** {@inheritDoc} A switch does not send a packet back to the port that it came from. */
    @Override
    public boolean isCopiedToMembers(CarrierPath path) {
        return ((LidPath) path).isMulticast();
    }

    // Addresses of received packets

    /** {@inheritDoc} The GIDs are compared too if path and packet have a global route. */
    @Override
    public boolean isReverse(SkBuff skb, CarrierPath path) {
        LidPath own = (LidPath) path;
        MemorySegment memory = skb.memory();
        return Lrh.sourceLid(memory, lrh(skb)) == own.dlid()
                && Lrh.destinationLid(memory, lrh(skb)) == slid(own)
                && isRouteReverse(skb, own);
    }

    private static boolean isRouteReverse(SkBuff skb, LidPath own) {
        GlobalRoute route = own.route();
        if (route == null || !hasGrh(skb)) {
            return true;
        }
        MemorySegment memory = skb.memory();
        long grh = grh(skb);
        return Ipv6.sourcePrefix(memory, grh) == route.destination().prefix()
                && Ipv6.sourceInterfaceId(memory, grh) == route.destination().interfaceId()
                && Ipv6.destinationPrefix(memory, grh) == own.source().prefix()
                && Ipv6.destinationInterfaceId(memory, grh) == own.source().interfaceId();
    }

    @Override
    public boolean isToThisPort(SkBuff skb) {
        int dlid = Lrh.destinationLid(skb.memory(), lrh(skb));
        return (port.owns(dlid) || dlid == Lid.PERMISSIVE)
                && (!hasGrh(skb) || link.hasGid(destinationPrefix(skb), destinationInterfaceId(skb)));
    }

    @Override
    public boolean isFromThisPort(SkBuff skb) {
        return port.owns(Lrh.sourceLid(skb.memory(), lrh(skb)));
    }

    /** {@inheritDoc} 0 without a global route header: such a packet belongs to no group. */
    @Override
    public long destinationPrefix(SkBuff skb) {
        return hasGrh(skb) ? Ipv6.destinationPrefix(skb.memory(), grh(skb)) : 0;
    }

    @Override
    public long destinationInterfaceId(SkBuff skb) {
        return hasGrh(skb) ? Ipv6.destinationInterfaceId(skb.memory(), grh(skb)) : 0;
    }

    @Override
    public boolean isCongested(SkBuff skb) {
        return Bth.fecn(skb.memory(), skb.data());
    }

    @Override
    public void copyGrh(SkBuff skb, MemorySegment target) {
        if (hasGrh(skb)) {
            MemorySegment.copy(skb.memory(), grh(skb), target, 0, QpPort.ROUTE_BYTES);
        } else {
            for (int i = 0; i < QpPort.ROUTE_BYTES; i += Long.BYTES) {
                target.set(ValueLayout.JAVA_LONG_UNALIGNED, i, 0);
            }
        }
    }

    /** Passes the addresses and the P_Key of a received packet. */
    void report(SkBuff skb, BadPkeyListener listener) {
        MemorySegment memory = skb.memory();
        long bth = skb.data();
        Opcode opcode = Bth.opcode(memory, bth);
        boolean hasSource = opcode != null && opcode.carries(Header.DETH);
        listener.badPkey(
                Lrh.sourceLid(memory, lrh(skb)),
                Bth.pkey(memory, bth),
                Lrh.serviceLevel(memory, lrh(skb)),
                hasSource ? Deth.sourceQpn(memory, bth + Bth.BYTES) : 0,
                Bth.destinationQpn(memory, bth));
    }

    @Override
    public void describeSource(SkBuff skb, CompletionEntry entry) {
        MemorySegment memory = skb.memory();
        int dlid = Lrh.destinationLid(memory, lrh(skb));
        entry.route(
                Lrh.sourceLid(memory, lrh(skb)),
                Lrh.serviceLevel(memory, lrh(skb)),
                Lid.isUnicast(dlid) ? dlid & (1 << port.lmc()) - 1 : 0);
        entry.flags |= hasGrh(skb) ? WcFlag.GRH.bit() : 0;
    }
}
