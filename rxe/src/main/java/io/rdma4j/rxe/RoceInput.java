package io.rdma4j.rxe;

import io.rdma4j.net.UdpEncapHandler;
import io.rdma4j.packet.SkBuff;
import io.rdma4j.transport.PacketContext;
import io.rdma4j.wire.Bth;
import io.rdma4j.wire.Icrc;
import io.rdma4j.wire.IcrcIdentification;
import io.rdma4j.wire.Ipv4;
import io.rdma4j.wire.Opcode;
import io.rdma4j.wire.RocePacket;
import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;

/**
 * What arrives on the RoCE port of a network device (IBA 9.6, A17.9): each check in turn, cheapest first; what fails one
 * is dropped and counted, and nobody is told. Answers to {@code rxe_rcv}.
 */
final class RoceInput implements UdpEncapHandler {
    private final RxePort port;
    private final boolean identificationHidden;
    private final Icrc icrc = new Icrc();
    private final PacketContext packet = new PacketContext();

    /** @param identificationHidden the device does not show the IPv4 identification, which the ICRC covers */
    RoceInput(RxePort port, boolean identificationHidden) {
        this.port = port;
        this.identificationHidden = identificationHidden;
    }

    @Override
    public void receive(SkBuff skb) {
        RxeQp qp = accept(skb);
        if (qp != null && packet.parse(skb)) {
            try {
                qp.onPacket(packet);
            } catch (IllegalStateException e) {
                // A train that never left this JVM: its sender closed the arena behind its fragments.
                port.inputCounters().lostMemory++;
            }
        }
        skb.free();
    }

    /** The queue pair of a packet that passed all checks, its padding and ICRC cut off; null if it is to be dropped. */
    private @Nullable RxeQp accept(SkBuff skb) {
        RxeCounters counters = port.inputCounters();
        boolean finished = skb.offload() == null;
        MemorySegment memory = skb.memory();
        int bth = skb.data();
        if (finished && !RocePacket.check(memory, bth, skb.len()).isOk()) {
            counters.malformed++;
            return null;
        }
        RxeQp qp = port.queuePairs().find(PacketContext.destinationQpn(skb));
        if (qp == null) {
            counters.noQueuePair++;
            return null;
        }
        Opcode opcode = Bth.opcode(memory, bth);
        if (opcode == null || opcode.transport() != qp.service()) {
            counters.wrongType++;
            return null;
        }
        if (!qp.acceptsRoute(skb)) {
            counters.wrongAddress++;
            return null;
        }
        if (!qp.acceptsPkey(Bth.pkey(memory, bth))) {
            counters.badPkey++;
            return null;
        }
        if (finished) {
            int icrcOffset = skb.tail() - Icrc.BYTES;
            if (!isIntact(skb, icrcOffset)) {
                counters.badIcrc++;
                return null;
            }
            skb.trim(skb.len() - Icrc.BYTES - Bth.padCount(memory, bth));
        }
        return qp;
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
