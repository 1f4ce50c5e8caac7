// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.transport.common;

import io.rdma4j.packet.SkBuff;
import io.rdma4j.transport.port.CongestionControl;
import io.rdma4j.transport.port.PacketContext;
import io.rdma4j.wire.Bth;
import io.rdma4j.wire.Cnp;
import io.rdma4j.wire.Header;
import io.rdma4j.wire.Opcode;
import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;

/**
 * The notification point of DCQCN (IBA A17.9). Sends a congestion notification packet (CNP) to the peer of a connection
 * when its packets have met congestion, at most once per interval. Marked packets are counted even if no CNP is sent.
 */
public final class CongestionNotifier {
    private final QpCore qp;
    private final @Nullable CongestionControl control;

    private boolean owed;

    /** A notification was sent, and the minimum interval has not yet passed. */
    private boolean silent;

    private long silentUntilNs;

    public CongestionNotifier(QpCore qp) {
        this.qp = qp;
        this.control = qp.context().options().congestionControl();
    }

    /** Handles a packet of the peer that met congestion; a packet without payload causes no notification. */
    public void onPacket(PacketContext packet, long nowNs) {
        if (!qp.state().servesRequests()) {
            return;
        }
        qp.counters().ecnMarkedPackets += packet.packets;
        if (silent && silentUntilNs - nowNs <= 0) {
            silent = false;
        }
        owed |= control != null && !silent && packet.opcode.hasPayload();
    }

    /**
     * Sends a notification if one is owed.
     *
     * @return packets sent: 1, or 0 if none is owed or there is no buffer
     */
    public int send(long nowNs) {
        CongestionControl numbers = control;
        SkBuff skb = owed && numbers != null ? qp.port().allocate() : null;
        if (numbers == null || skb == null) {
            return 0;
        }
        int at = skb.put(Opcode.CNP.headerBytes());
        MemorySegment memory = skb.memory();
        ConnectionAttributes connection = qp.connection();
        Bth.write(memory, at, Opcode.CNP, false, false, 0, connection.pkey(), connection.destinationQpn(), false, 0);
        Bth.becn(memory, at, true);
        Cnp.write(memory, at + (long) Opcode.CNP.offsetOf(Header.CNP));
        owed = false;
        silent = true;
        silentUntilNs = nowNs + numbers.notificationIntervalNs();
        qp.counters().sentCnps++;
        qp.port().transmit(skb);
        return 1;
    }
}
