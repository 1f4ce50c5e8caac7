package io.rdma4j.rxe;

import io.rdma4j.net.ip.UdpEncapHandler;
import io.rdma4j.net.skb.TrainCutter;
import io.rdma4j.packet.PacketOffload;
import io.rdma4j.packet.SkBuff;
import io.rdma4j.transport.PacketContext;
import io.rdma4j.transport.Train;
import io.rdma4j.wire.Bth;
import io.rdma4j.wire.Icrc;
import io.rdma4j.wire.IcrcIdentification;
import io.rdma4j.wire.Ipv4;
import io.rdma4j.wire.Opcode;
import io.rdma4j.wire.RocePacket;
import java.lang.foreign.MemorySegment;

/**
 * What arrives on the RoCE port of a network device (IBA 9.6, A17.9): each check in turn, cheapest first; what fails one
 * is dropped and counted, and nobody is told. Answers to {@code rxe_rcv}.
 */
final class RoceInput implements UdpEncapHandler {
    /** Destination of every multicast datagram (IBA 3.9.1); the group is in the IP header. */
    private static final int MULTICAST_QPN = 0xFF_FFFF;

    private final RxePort port;
    private final boolean identificationHidden;
    private final Icrc icrc = new Icrc();
    private final PacketContext packet = new PacketContext();
    private final Train train = new Train();
    private final TrainCutter cutter = new TrainCutter();

    /** @param identificationHidden the device does not show the IPv4 identification, which the ICRC covers */
    RoceInput(RxePort port, boolean identificationHidden) {
        this.port = port;
        this.identificationHidden = identificationHidden;
    }

    @Override
    public void receive(SkBuff skb) {
        if (port.failure().isThere() || !port.states().receives()) {
            skb.free();
            return;
        }
        try {
            if (skb.isGso() && skb.offload() == null) {
                receiveMerged(skb);
            } else {
                receiveOne(skb);
            }
        } catch (Throwable error) {
            // The device below, and the other ports above it, have no part in it.
            port.breakDown(error);
        }
        skb.free();
    }

    /** What is before its turn stays in the buffer that it came in, if it is to stay at all. */
    @Override
    public boolean takesTrains() {
        return !port.options().transport().placesOutOfOrder();
    }

    /** Finished packets that the link has merged. */
    private void receiveMerged(SkBuff skb) {
        cutter.begin(skb);
        while (cutter.next(skb)) {
            receiveOne(skb);
        }
    }

    /** A packet, or a train that an engine has made. */
    private void receiveOne(SkBuff skb) {
        if (isWellFormed(skb)) {
            int qpn = PacketContext.destinationQpn(skb);
            if (qpn == MULTICAST_QPN) {
                receiveMulticast(skb);
            } else {
                receiveUnicast(skb, qpn);
            }
        } else {
            port.inputCounters().malformed++;
            port.context().trace().drop(0, 0, 0, "malformed");
        }
    }

    /** A packet that is yet to be finished was made by an engine, here or in another process, which may be anybody's. */
    private boolean isWellFormed(SkBuff skb) {
        PacketOffload offload = skb.offload();
        if (offload != null) {
            return offload instanceof RoceOffload || train.isWellFormed(skb);
        }
        return NetworkPath.isPlain(skb)
                && RocePacket.check(skb.memory(), skb.data(), skb.len()).isOk();
    }

    private void receiveUnicast(SkBuff skb, int qpn) {
        RxeQp qp = port.queuePairs().find(qpn);
        if (qp == null) {
            port.inputCounters().noQueuePair++;
            drop(skb, "no queue pair");
        } else if (isForService(skb, qp) && isOnRoute(skb, qp) && isInPartition(skb, qp) && finish(skb)) {
            deliver(skb, qp);
        }
    }

    /** IBA 10.5.2, 11.4.2.2: each queue pair of the group takes its copy out of the one buffer, which is checked once. */
    private void receiveMulticast(SkBuff skb) {
        RxeQp[] members = port.multicast().find(skb);
        if (members.length == 0) {
            port.inputCounters().noQueuePair++;
            drop(skb, "no queue pair");
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
                // A train that never left this JVM: its sender closed the arena behind its fragments.
                port.inputCounters().lostMemory++;
            }
        }
    }

    /** Tells of a well-formed packet that does not get to a queue pair. */
    private void drop(SkBuff skb, String reason) {
        MemorySegment memory = skb.memory();
        long bth = skb.data();
        port.context()
                .trace()
                .drop(Bth.destinationQpn(memory, bth), Bth.psn(memory, bth), Bth.opcodeCode(memory, bth), reason);
    }

    private boolean isForService(SkBuff skb, RxeQp qp) {
        Opcode opcode = Bth.opcode(skb.memory(), skb.data());
        boolean fits = opcode != null && qp.takes(opcode);
        if (!fits) {
            port.inputCounters().wrongType++;
            drop(skb, "opcode");
        }
        return fits;
    }

    private boolean isOnRoute(SkBuff skb, RxeQp qp) {
        boolean accepted = qp.acceptsRoute(skb);
        if (!accepted) {
            port.inputCounters().wrongAddress++;
            drop(skb, "address");
        }
        return accepted;
    }

    private boolean isInPartition(SkBuff skb, RxeQp qp) {
        boolean accepted = qp.acceptsPkey(skb);
        if (!accepted) {
            port.inputCounters().badPkey++;
            drop(skb, "P_Key");
            port.management()
                    .badPkey(Bth.pkey(skb.memory(), skb.data()), port.netLoop().nowNs());
        }
        return accepted;
    }

    /** Checks the ICRC of a packet that has one, and cuts it off with the padding; false if it does not fit. */
    private boolean finish(SkBuff skb) {
        if (skb.offload() != null) {
            return true;
        }
        if (!isIntact(skb, skb.tail() - Icrc.BYTES)) {
            port.inputCounters().badIcrc++;
            drop(skb, "ICRC");
            return false;
        }
        skb.trim(skb.len() - Icrc.BYTES - Bth.padCount(skb.memory(), skb.data()));
        return true;
    }

    /**
     * Whether the ICRC fits. Where the device hides the IPv4 identification, any value of it that explains the difference
     * is accepted: Linux counts it up, our own senders and many adapters send 0. What strength remains then is told at
     * {@link IcrcIdentification}; a UDP socket has verified the UDP checksum besides, unless the sender left it out.
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
            port.inputCounters().solvedIdentification++;
        }
        return solved;
    }
}
