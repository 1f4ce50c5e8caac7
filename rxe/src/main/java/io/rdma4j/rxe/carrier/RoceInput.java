// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.rxe.carrier;

import io.rdma4j.hca.InputErrors;
import io.rdma4j.hca.carrier.CarrierInput;
import io.rdma4j.ip.UdpEncapHandler;
import io.rdma4j.net.skb.TrainCutter;
import io.rdma4j.packet.PacketOffload;
import io.rdma4j.packet.SkBuff;
import io.rdma4j.transport.port.Train;
import io.rdma4j.wire.Bth;
import io.rdma4j.wire.ip.Ipv4;
import io.rdma4j.wire.roce.Icrc;
import io.rdma4j.wire.roce.IcrcIdentification;
import io.rdma4j.wire.roce.RocePacket;
import java.lang.foreign.MemorySegment;

/**
 * Receives the packets of the RoCE UDP port of a network device (IBA A17.9): checks their form and their ICRC. A packet
 * that fails a check is dropped and counted, without a response.
 */
final class RoceInput implements UdpEncapHandler {
    private final CarrierInput port;
    private final InputErrors errors;
    private final boolean mergedAllowed;
    private final boolean identificationHidden;
    private final Icrc icrc = new Icrc();
    private final Train train = new Train();
    private final TrainCutter cutter = new TrainCutter();

    /**
     * @param mergedAllowed whether the link may merge packets
     * @param identificationHidden whether the device hides the IPv4 identification, which the ICRC covers
     */
    RoceInput(CarrierInput port, boolean mergedAllowed, boolean identificationHidden) {
        this.port = port;
        this.errors = port.errors();
        this.mergedAllowed = mergedAllowed;
        this.identificationHidden = identificationHidden;
    }

    @Override
    public void receive(SkBuff skb) {
        if (!port.receives()) {
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
            port.receive(skb);
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

    /** Checks the ICRC of a packet that has one, and removes ICRC and padding; false if the ICRC is wrong. */
    boolean finish(SkBuff skb) {
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
