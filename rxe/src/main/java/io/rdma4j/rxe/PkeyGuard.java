// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.rxe;

import io.rdma4j.base.NanoClock;
import io.rdma4j.hca.PkeyTable;
import io.rdma4j.hca.PortNotices;
import io.rdma4j.net.NetDevice;
import io.rdma4j.net.receive.PacketTap;
import io.rdma4j.net.skb.EtherType;
import io.rdma4j.packet.SkBuff;
import io.rdma4j.verbs.device.PortCapability;
import io.rdma4j.verbs.device.PortNotice;
import io.rdma4j.wire.Bth;
import io.rdma4j.wire.ip.Ipv4;
import io.rdma4j.wire.ip.Ipv6;
import io.rdma4j.wire.ip.Udp;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.Set;
import java.util.function.Consumer;

/**
 * Monitors a port of a software switch (a bridge) for RoCE packets of partitions that are not allowed there, and raises
 * notices (IBA 18.2.4.2.1: inbound P_Key enforcement, {@code IsPKeySwitchExternalPortTrapSupported}). It does not drop
 * packets. State belongs to the owner of the device's loop.
 */
public final class PkeyGuard implements PacketTap, AutoCloseable {
    /** Bytes of a packet that are inspected. */
    private static final int HEAD_BYTES = Ipv6.BYTES + Udp.BYTES + Bth.BYTES;

    private static final Set<PortCapability> TRAPS = Set.of(PortCapability.TRAP_SUP);

    private final NetDevice device;
    private final int port;
    private final PkeyTable allowed;
    private final NanoClock clock;
    private final long intervalNs;
    private final PortNotices notices;
    private final MemorySegment head = Arena.ofAuto().allocate(HEAD_BYTES, Long.BYTES);
    private long violations;

    /**
     * Starts to monitor.
     *
     * @param device the port of the bridge
     * @param port its number in notices, from 1
     * @param pkeys of the partitions that are allowed: 16 bits each, at least one
     * @param clock that the interval is measured with
     * @param intervalNs minimum interval between two traps: the subnet timeout
     * @param traps receives the notices, on the thread that owns the device's loop
     * @throws io.rdma4j.base.RdmaException EINVAL for an invalid P_Key
     */
    public PkeyGuard(
            NetDevice device,
            int port,
            List<Integer> pkeys,
            NanoClock clock,
            long intervalNs,
            Consumer<PortNotice> traps) {
        this.device = device;
        this.port = port;
        this.allowed = new PkeyTable(pkeys);
        this.clock = clock;
        this.intervalNs = intervalNs;
        this.notices = new PortNotices(traps);
        device.protocols().addTap(EtherType.IPV4, this);
        device.protocols().addTap(EtherType.IPV6, this);
    }

    @Override
    public void see(SkBuff skb) {
        int headerBytes = ipBytes(skb);
        if (headerBytes == 0 || Udp.destinationPort(head, headerBytes) != RxeOptions.ROCE_V2_PORT) {
            return;
        }
        int pkey = Bth.pkey(head, headerBytes + Udp.BYTES);
        if (!allowed.accepts(pkey)) {
            violations++;
            if (notices.mayTell(clock.nanoTime(), intervalNs)) {
                notices.raise(new PortNotice(PortNotice.Type.SWITCH_BAD_PKEY, port, pkey), TRAPS);
            }
        }
    }

    /**
     * Copies the headers of a UDP packet without IP options. Returns the bytes of its IP header, 0 for any other
     * packet.
     */
    private int ipBytes(SkBuff skb) {
        int bytes = Math.min(skb.len(), HEAD_BYTES);
        if (bytes < Ipv4.BYTES + Udp.BYTES + Bth.BYTES) {
            return 0;
        }
        skb.copyBits(0, head, 0, bytes);
        boolean v4 = Ipv4.version(head, 0) == Ipv4.VERSION;
        if (v4) {
            boolean plain = Ipv4.headerBytes(head, 0) == Ipv4.BYTES && Ipv4.protocol(head, 0) == Ipv4.PROTOCOL_UDP;
            return plain ? Ipv4.BYTES : 0;
        }
        return bytes == HEAD_BYTES && Ipv6.nextHeader(head, 0) == Ipv6.NEXT_HEADER_UDP ? Ipv6.BYTES : 0;
    }

    /** {@return the number of packets of other partitions; another thread may read a slightly old value} */
    public long violations() {
        return violations;
    }

    /** Stops monitoring. */
    @Override
    public void close() {
        device.protocols().removeTap(this);
    }
}
