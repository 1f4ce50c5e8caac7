// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.hca;

import io.rdma4j.base.Gid;
import io.rdma4j.hca.carrier.Carrier;
import io.rdma4j.hca.carrier.CarrierHeaders;
import io.rdma4j.hca.carrier.CarrierInput;
import io.rdma4j.hca.carrier.CarrierPath;
import io.rdma4j.hca.carrier.LocalPeers;
import io.rdma4j.hca.carrier.PathResolver;
import io.rdma4j.loop.LoopClient;
import io.rdma4j.packet.SkBuff;
import io.rdma4j.verbs.spi.ring.CompletionEntry;
import io.rdma4j.verbs.values.AddressVector;
import io.rdma4j.verbs.values.GlobalRoute;
import io.rdma4j.verbs.values.Rate;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;
import java.util.ArrayDeque;
import java.util.Map;
import java.util.Queue;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Carries packets between the ports of one loop by LID: a draft of an InfiniBand link, without switches and subnet
 * manager. Packets begin with an LRH (IBA 7.7) and have no GRH; trains stay whole.
 */
final class LidCarrier implements Carrier, CarrierHeaders, PathResolver, LoopClient {
    private static final int LRH_BYTES = 8;
    private static final int SL = 1;
    private static final int DLID = 2;
    private static final int SLID = 6;
    private static final ValueLayout.OfShort LID = ValueLayout.JAVA_SHORT_UNALIGNED.withOrder(ByteOrder.BIG_ENDIAN);

    private final Map<Integer, LidCarrier> subnet;
    private final int lid;
    private final PortLink link;
    private final Queue<SkBuff> arrived = new ArrayDeque<>();
    private @Nullable CarrierInput input;

    /** @param subnet carriers by LID; this one is added */
    LidCarrier(Map<Integer, LidCarrier> subnet, int lid) {
        this.subnet = subnet;
        this.lid = lid;
        this.link = new LidLink("ib" + lid);
        subnet.put(lid, this);
    }

    private record LidPath(int slid, int dlid, int serviceLevel, Rate staticRate) implements CarrierPath {
        @Override
        public Gid source() {
            return new Gid(0, slid);
        }

        @Override
        public Gid destination() {
            return new Gid(0, dlid);
        }

        @Override
        public int headerBytes() {
            return LRH_BYTES;
        }
    }

    private static int header(SkBuff skb) {
        return skb.data() - LRH_BYTES;
    }

    private static int lid(SkBuff skb, int field) {
        return Short.toUnsignedInt(skb.memory().get(LID, header(skb) + (long) field));
    }

    // Paths

    @Override
    public CarrierPath ofHandle(AddressVector vector, int handle) {
        GlobalRoute route = vector.route();
        int dlid = vector.dlid() == 0 && route != null ? lidOf(route.destination()) : vector.dlid();
        return new LidPath(lid, dlid, vector.serviceLevel(), vector.staticRate());
    }

    /** Answers as the subnet administrator does to a path query by GID. */
    private static int lidOf(Gid port) {
        return (int) (port.interfaceId() - LidSubnet.FIRST_GUID);
    }

    @Override
    public CarrierPath ofConnection(AddressVector vector, int localQpn, int remoteQpn) {
        return ofHandle(vector, 0);
    }

    // Headers

    @Override
    public void push(SkBuff skb, CarrierPath path) {
        LidPath to = (LidPath) path;
        int at = skb.push(LRH_BYTES);
        skb.memory().set(ValueLayout.JAVA_BYTE, at + (long) SL, (byte) (to.serviceLevel() << 4 | 2));
        skb.memory().set(LID, at + (long) DLID, (short) to.dlid());
        skb.memory().set(LID, at + (long) SLID, (short) to.slid());
    }

    @Override
    public void pull(SkBuff skb) {
        skb.pull(LRH_BYTES);
    }

    @Override
    public boolean leadsHere(CarrierPath path) {
        return ((LidPath) path).dlid() == lid;
    }

    @Override
    public boolean isCopiedToMembers(CarrierPath path) {
        return false;
    }

    @Override
    public boolean isReverse(SkBuff skb, CarrierPath path) {
        return lid(skb, SLID) == ((LidPath) path).dlid() && isToThisPort(skb);
    }

    @Override
    public boolean isToThisPort(SkBuff skb) {
        return lid(skb, DLID) == lid;
    }

    @Override
    public boolean isFromThisPort(SkBuff skb) {
        return lid(skb, SLID) == lid;
    }

    @Override
    public long destinationPrefix(SkBuff skb) {
        return 0;
    }

    @Override
    public long destinationInterfaceId(SkBuff skb) {
        return lid(skb, DLID);
    }

    @Override
    public boolean isCongested(SkBuff skb) {
        return false;
    }

    @Override
    public void copyGrh(SkBuff skb, MemorySegment target) {
        target.fill((byte) 0);
    }

    @Override
    public void describeSource(SkBuff skb, CompletionEntry entry) {
        entry.sourceLid = lid(skb, SLID);
        entry.serviceLevel = skb.memory().get(ValueLayout.JAVA_BYTE, header(skb) + (long) SL) >> 4 & 0xF;
    }

    // Packets

    @Override
    public void transmit(SkBuff skb, CarrierPath path) {
        LidCarrier to = subnet.get(((LidPath) path).dlid());
        if (to == null) {
            skb.free();
        } else {
            to.arrived.add(skb);
        }
    }

    @Override
    public boolean work(long nowNs) {
        boolean found = false;
        for (SkBuff skb = arrived.poll(); skb != null; skb = arrived.poll()) {
            found = true;
            pull(skb);
            CarrierInput port = input;
            if (port != null && port.receives()) {
                port.receive(skb);
            }
            skb.free();
        }
        return found;
    }

    @Override
    public boolean hasMore() {
        return !arrived.isEmpty();
    }

    @Override
    public boolean isHeldBack() {
        return false;
    }

    @Override
    public boolean isStalled() {
        return false;
    }

    @Override
    public boolean flush() {
        return true;
    }

    @Override
    public boolean finish(SkBuff skb) {
        return true;
    }

    @Override
    public void dropWaiting(Predicate<SkBuff> condition) {
        subnet.values()
                .forEach(other -> other.arrived.removeIf(skb -> {
                    boolean dropped = condition.test(skb);
                    if (dropped) {
                        skb.free();
                    }
                    return dropped;
                }));
    }

    @Override
    public void dropHeld(Predicate<SkBuff> condition) {
        dropWaiting(condition);
    }

    // Control path

    @Override
    public PortLink link() {
        return link;
    }

    @Override
    public PathResolver paths() {
        return this;
    }

    @Override
    public CarrierHeaders headers() {
        return this;
    }

    @Override
    public LocalPeers localPeers() {
        return LocalPeers.NONE;
    }

    @Override
    public void join(Gid group) {}

    @Override
    public void leave(Gid group) {}

    @Override
    public void start(CarrierInput port) {
        input = port;
    }

    @Override
    public void stop() {
        input = null;
    }

    @Override
    public void breakDown(Throwable error) {
        throw new IllegalStateException(error);
    }
}
