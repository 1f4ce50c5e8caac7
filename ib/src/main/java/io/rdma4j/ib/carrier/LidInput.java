// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.ib.carrier;

import io.rdma4j.hca.carrier.CarrierInput;
import io.rdma4j.packet.SkBuff;
import io.rdma4j.wire.Bth;
import io.rdma4j.wire.Grh;
import io.rdma4j.wire.ib.LinkNextHeader;
import io.rdma4j.wire.ib.LocalPacket;
import io.rdma4j.wire.ib.Lrh;
import io.rdma4j.wire.ip.Ipv6;
import io.rdma4j.wire.roce.Icrc;
import io.rdma4j.wire.roce.RocePacket;
import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;

/**
 * Receives the packets of an end port for the queue pairs of its device: checks their form, and their ICRC if they have
 * one. A packet that fails a check is dropped and counted. For the owner of the loop only.
 */
public final class LidInput {
    private final LidHeaders headers;
    private final Icrc icrc = new Icrc();
    private @Nullable CarrierInput port;

    LidInput(LidHeaders headers) {
        this.headers = headers;
    }

    void start(CarrierInput receiver) {
        port = receiver;
    }

    void stop() {
        port = null;
    }

    /** The state of the port has changed. */
    public void stateChanged() {
        CarrierInput to = port;
        if (to != null) {
            to.linkChanged();
        }
    }

    /** The GID table of the port has changed. */
    public void gidsChanged() {
        CarrierInput to = port;
        if (to != null) {
            to.addressesChanged();
        }
    }

    /** Takes the port out of service. */
    public void fail(Throwable error) {
        CarrierInput to = port;
        if (to != null) {
            to.errors().fail(error);
        }
    }

    /**
     * A packet has arrived.
     *
     * @param packet begins with its local route header; owned by this object
     */
    public void receive(SkBuff packet) {
        CarrierInput to = port;
        if (to != null && to.receives()) {
            receiveManagement(packet);
        } else {
            packet.free();
        }
    }

    /**
     * A datagram for queue pair 0 has arrived, which it receives in every state of the port.
     *
     * @param packet begins with its local route header; owned by this object
     */
    public void receiveManagement(SkBuff packet) {
        CarrierInput to = port;
        if (to != null) {
            try {
                deliver(packet, to);
            } catch (Throwable error) {
                to.errors().fail(error);
            }
        }
        packet.free();
    }

    private void deliver(SkBuff packet, CarrierInput to) {
        if (!packet.linearize() || !isWellFormed(packet)) {
            to.errors().malformed();
            return;
        }
        packet.setNetworkHeader(0);
        headers.pull(packet);
        to.receive(packet);
    }

    /** Links without bytes do not check packets. */
    private static boolean isWellFormed(SkBuff packet) {
        MemorySegment memory = packet.memory();
        int at = packet.data();
        LinkNextHeader next = Lrh.nextHeader(memory, at);
        if (next.isRaw() || next == LinkNextHeader.GLOBAL && !isGrh(memory, at + (long) Lrh.BYTES)) {
            return false;
        }
        long bth = LocalPacket.bthOffset(memory, at);
        return RocePacket.check(memory, bth, LocalPacket.transportBytes(memory, at))
                .isOk();
    }

    private static boolean isGrh(MemorySegment memory, long at) {
        return Ipv6.version(memory, at) == Ipv6.VERSION && Ipv6.nextHeader(memory, at) == Grh.NEXT_HEADER_BTH;
    }

    /** Checks the ICRC, if the packet has one, and removes it with the padding; false if it is wrong. */
    boolean finish(SkBuff skb) {
        if (skb.shinfo().offload() != null) {
            return true;
        }
        CarrierInput to = port;
        int lrh = skb.networkHeader();
        int icrcAt = LocalPacket.icrcOffset(skb.memory(), lrh);
        boolean hasIcrc = skb.tail() > icrcAt;
        if (hasIcrc
                && to != null
                && Icrc.load(skb.memory(), icrcAt) != LocalPacket.computeIcrc(icrc, skb.memory(), skb.bytes(), lrh)) {
            to.errors().badIcrc(skb);
            return false;
        }
        skb.trim(icrcAt - skb.data() - Bth.padCount(skb.memory(), skb.data()));
        return true;
    }
}
