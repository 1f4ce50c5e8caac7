// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.rxe.datapath;

import io.rdma4j.hca.PortStateMachine;
import io.rdma4j.ip.UdpEncapHandler;
import io.rdma4j.net.skb.TrainCutter;
import io.rdma4j.packet.PacketOffload;
import io.rdma4j.packet.SkBuff;
import io.rdma4j.transport.port.PacketContext;
import io.rdma4j.transport.port.Train;
import io.rdma4j.wire.Bth;
import io.rdma4j.wire.Opcode;
import io.rdma4j.wire.ip.Ipv4;
import io.rdma4j.wire.roce.Icrc;
import io.rdma4j.wire.roce.IcrcIdentification;
import io.rdma4j.wire.roce.RocePacket;
import java.lang.foreign.MemorySegment;

/**
 * Receives the packets of the RoCE UDP port of a network device (IBA 9.6, A17.9). Checks run in order, the cheapest
 * first. A packet that fails a check is dropped and counted, without a response. Corresponds to {@code rxe_rcv}.
 */
public final class RoceInput implements UdpEncapHandler {
    /** Destination of every multicast datagram (IBA 3.9.1); the IP header contains the group. */
    private static final int MULTICAST_QPN = 0xFF_FFFF;

    private final QpTable queuePairs;
    private final MulticastTable<RxeQp> multicast;
    private final PortStateMachine states;
    private final InputErrors errors;
    private final boolean mergedAllowed;
    private final boolean identificationHidden;
    private final Icrc icrc = new Icrc();
    private final PacketContext packet = new PacketContext();
    private final Train train = new Train();
    private final TrainCutter cutter = new TrainCutter();

    /**
     * @param mergedAllowed whether the link may merge packets
     * @param identificationHidden whether the device hides the IPv4 identification, which the ICRC covers
     */
    public RoceInput(
            QpTable queuePairs,
            MulticastTable<RxeQp> multicast,
            PortStateMachine states,
            InputErrors errors,
            boolean mergedAllowed,
            boolean identificationHidden) {
        this.queuePairs = queuePairs;
        this.multicast = multicast;
        this.states = states;
        this.errors = errors;
        this.mergedAllowed = mergedAllowed;
        this.identificationHidden = identificationHidden;
    }

    @Override
    public void receive(SkBuff skb) {
        if (states.failure().isThere() || !states.receives()) {
            skb.free();
            return;
        }
        try {
            if (skb.shinfo().isGso() && skb.shinfo().offload() == null) {
                receiveMerged(skb);
            } else {
                receiveOne(skb);
            }
        } catch (Throwable error) {
            errors.fail(error);
        }
        skb.free();
    }

    /**
     * Returns false if packets are placed out of order: an early packet then stays in its buffer, which must hold no
     * other packets.
     */
    @Override
    public boolean takesTrains() {
        return mergedAllowed;
    }

    /** Receives finished packets that the link has merged. */
    private void receiveMerged(SkBuff skb) {
        cutter.begin(skb);
        while (cutter.next(skb)) {
            receiveOne(skb);
        }
    }

    /** Receives a packet, or a train that an engine has made. */
    private void receiveOne(SkBuff skb) {
        if (isWellFormed(skb)) {
            int qpn = PacketContext.destinationQpn(skb);
            if (qpn == MULTICAST_QPN) {
                receiveMulticast(skb);
            } else {
                receiveUnicast(skb, qpn);
            }
        } else {
            errors.malformed();
        }
    }

    /**
     * Returns true for a packet of valid format. An unfinished train may come from an engine in another process and is
     * not trusted either.
     */
    private boolean isWellFormed(SkBuff skb) {
        PacketOffload offload = skb.shinfo().offload();
        if (offload != null) {
            return offload instanceof RoceOffload || train.isWellFormed(skb);
        }
        return NetworkPath.isPlain(skb)
                && RocePacket.check(skb.memory(), skb.data(), skb.len()).isOk();
    }

    private void receiveUnicast(SkBuff skb, int qpn) {
        RxeQp qp = queuePairs.find(qpn);
        if (qp == null) {
            errors.noQueuePair(skb);
        } else if (isForService(skb, qp) && isOnRoute(skb, qp) && isInPartition(skb, qp) && finish(skb)) {
            deliver(skb, qp);
        }
    }

    /**
     * Delivers one copy to each queue pair of the group (IBA 10.5.2, 11.4.2.2). All read the same buffer, whose ICRC is
     * checked once.
     */
    private void receiveMulticast(SkBuff skb) {
        RxeQp[] members = multicast.find(skb);
        if (members.length == 0) {
            errors.noQueuePair(skb);
        }
        boolean finished = false;
        for (RxeQp qp : members) {
            if (isForService(skb, qp) && !qp.isUnwantedEcho(skb) && isInPartition(skb, qp)) {
                finished = finished || finish(skb);
                if (!finished) {
                    return;
                }
                deliver(skb, qp);
            }
        }
    }

    private void deliver(SkBuff skb, RxeQp qp) {
        if (packet.parse(skb)) {
            try {
                qp.onPacket(packet, NetworkPath.metCongestion(skb));
            } catch (IllegalStateException e) {
                // The train never left this JVM, and its sender closed the arena of its fragments.
                errors.counters().lostMemory++;
            }
        }
    }

    private boolean isForService(SkBuff skb, RxeQp qp) {
        Opcode opcode = Bth.opcode(skb.memory(), skb.data());
        boolean fits = opcode != null && qp.takes(opcode);
        if (!fits) {
            errors.wrongType(skb);
        }
        return fits;
    }

    private boolean isOnRoute(SkBuff skb, RxeQp qp) {
        boolean accepted = qp.acceptsRoute(skb);
        if (!accepted) {
            errors.wrongAddress(skb);
        }
        return accepted;
    }

    private boolean isInPartition(SkBuff skb, RxeQp qp) {
        boolean accepted = qp.acceptsPkey(skb);
        if (!accepted) {
            errors.badPkey(skb);
        }
        return accepted;
    }

    /** Checks the ICRC of a packet that has one, and removes ICRC and padding; false if the ICRC is wrong. */
    private boolean finish(SkBuff skb) {
        if (skb.shinfo().offload() != null) {
            return true;
        }
        if (!isIntact(skb, skb.tail() - Icrc.BYTES)) {
            errors.badIcrc(skb);
            return false;
        }
        skb.trim(skb.len() - Icrc.BYTES - Bth.padCount(skb.memory(), skb.data()));
        return true;
    }

    /**
     * Returns true if the ICRC is correct. If the device hides the IPv4 identification, any value that explains the
     * difference is accepted: Linux increments it, while this library and many adapters send 0.
     * {@link IcrcIdentification} describes the remaining strength. In addition a UDP socket verifies the UDP checksum,
     * unless the sender omitted it.
     */
    private boolean isIntact(SkBuff skb, int icrcOffset) {
        MemorySegment memory = skb.memory();
        int network = skb.networkHeader();
        int computed = icrc.compute(memory, skb.bytes(), network, icrcOffset);
        int received = Icrc.load(memory, icrcOffset);
        if (computed == received) {
            return true;
        }
        boolean solved = identificationHidden
                && Ipv4.version(memory, network) == Ipv4.VERSION
                && IcrcIdentification.solve(received, computed, icrcOffset - network) != IcrcIdentification.NONE;
        if (solved) {
            errors.counters().solvedIdentification++;
        }
        return solved;
    }
}
