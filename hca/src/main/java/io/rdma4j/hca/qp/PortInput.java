// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.hca.qp;

import io.rdma4j.hca.HcaLimits;
import io.rdma4j.hca.InputErrors;
import io.rdma4j.hca.PortEvents;
import io.rdma4j.hca.PortManagement;
import io.rdma4j.hca.PortStateMachine;
import io.rdma4j.hca.carrier.Carrier;
import io.rdma4j.hca.carrier.CarrierHeaders;
import io.rdma4j.hca.carrier.CarrierInput;
import io.rdma4j.packet.SkBuff;
import io.rdma4j.transport.port.PacketContext;
import io.rdma4j.verbs.values.EventType;
import io.rdma4j.wire.Bth;
import io.rdma4j.wire.Opcode;

/**
 * Delivers the packets of a port to its queue pairs (IBA 9.6). Checks run in order, the cheapest first. A packet that
 * fails a check is dropped and counted, without a response. Corresponds to {@code rxe_rcv}.
 */
public final class PortInput implements CarrierInput {
    /** Destination of every multicast datagram (IBA 3.9.1); the headers of the carrier contain the group. */
    private static final int MULTICAST_QPN = 0xFF_FFFF;

    private final Carrier carrier;
    private final CarrierHeaders headers;
    private final QpTable queuePairs;
    private final MulticastTable<HcaQp> multicast;
    private final PortStateMachine states;
    private final InputErrors errors;
    private final PortManagement management;
    private final PortEvents events;
    private final QpLinks links;
    private final PacketContext packet = new PacketContext();

    /** @param multicast members of the groups */
    public PortInput(
            Carrier carrier,
            QpTable queuePairs,
            MulticastTable<HcaQp> multicast,
            InputErrors errors,
            PortStateMachine states,
            PortManagement management,
            PortEvents events,
            QpLinks links) {
        this.carrier = carrier;
        this.headers = carrier.headers();
        this.queuePairs = queuePairs;
        this.multicast = multicast;
        this.states = states;
        this.errors = errors;
        this.management = management;
        this.events = events;
        this.links = links;
    }

    @Override
    public boolean receives() {
        return !states.failure().isThere() && states.receives();
    }

    @Override
    public InputErrors errors() {
        return errors;
    }

    @Override
    public void linkChanged() {
        management.linkChanged();
    }

    @Override
    public void addressesChanged() {
        links.dissolveAll();
        events.tell(EventType.GID_CHANGE, HcaLimits.PORT);
    }

    @Override
    public void removed() {
        events.tell(EventType.DEVICE_FATAL, PortEvents.NO_PORT);
    }

    @Override
    public void receive(SkBuff skb) {
        int qpn = PacketContext.destinationQpn(skb);
        if (qpn == MULTICAST_QPN) {
            receiveMulticast(skb);
        } else {
            receiveUnicast(skb, qpn);
        }
    }

    private void receiveUnicast(SkBuff skb, int qpn) {
        HcaQp qp = queuePairs.find(qpn);
        if (qp == null) {
            errors.noQueuePair(skb);
        } else if (isForService(skb, qp) && isOnRoute(skb, qp) && isInPartition(skb, qp) && carrier.finish(skb)) {
            deliver(skb, qp);
        }
    }

    /**
     * Delivers one copy to each queue pair of the group (IBA 10.5.2, 11.4.2.2). All read the same buffer, whose trailer
     * is checked once.
     */
    private void receiveMulticast(SkBuff skb) {
        HcaQp[] members = multicast.find(headers.destinationPrefix(skb), headers.destinationInterfaceId(skb));
        if (members.length == 0) {
            errors.noQueuePair(skb);
        }
        boolean finished = false;
        for (HcaQp qp : members) {
            if (isForService(skb, qp) && !qp.isUnwantedEcho(skb) && isInPartition(skb, qp)) {
                finished = finished || carrier.finish(skb);
                if (!finished) {
                    return;
                }
                deliver(skb, qp);
            }
        }
    }

    private void deliver(SkBuff skb, HcaQp qp) {
        if (packet.parse(skb)) {
            try {
                qp.onPacket(packet, headers.isCongested(skb));
            } catch (IllegalStateException e) {
                // The train never left this JVM, and its sender closed the arena of its fragments.
                errors.counters().lostMemory++;
            }
        }
    }

    private boolean isForService(SkBuff skb, HcaQp qp) {
        Opcode opcode = Bth.opcode(skb.memory(), skb.data());
        boolean fits = opcode != null && qp.takes(opcode);
        if (!fits) {
            errors.wrongType(skb);
        }
        return fits;
    }

    private boolean isOnRoute(SkBuff skb, HcaQp qp) {
        boolean accepted = qp.acceptsRoute(skb);
        if (!accepted) {
            errors.wrongAddress(skb);
        }
        return accepted;
    }

    private boolean isInPartition(SkBuff skb, HcaQp qp) {
        boolean accepted = qp.acceptsPkey(skb);
        if (!accepted) {
            errors.badPkey(skb);
            carrier.badPkey(skb);
        }
        return accepted;
    }
}
