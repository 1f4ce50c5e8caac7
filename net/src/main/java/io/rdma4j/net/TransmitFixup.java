package io.rdma4j.net;

import io.rdma4j.net.skb.PacketChecksum;
import io.rdma4j.packet.ChecksumState;
import io.rdma4j.packet.PacketOffload;
import io.rdma4j.packet.SkBuff;
import io.rdma4j.packet.SkBuffPool;
import io.rdma4j.packet.TxFlag;
import java.lang.foreign.MemorySegment;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Does in software what the driver cannot ({@code validate_xmit_skb}): cuts trains, finishes checksums, gathers
 * fragments, one packet after the other in scratch buffers.
 *
 * <p>A train of which some packets are out cannot be given back. It waits here, as a requeued buffer does in
 * {@code qdisc->gso_skb}, and goes on before anything else is sent.
 */
final class TransmitFixup {
    /** Bytes kept free in front of packets that are built here, a multiple of a cache line. */
    private static final int HEADROOM = 64;

    private final NetDevice device;
    private final SkBuffPool scratch;
    private @Nullable SkBuff pending;
    private int pendingIndex;

    /** @param packetsKept how many packets may be built at a time: as many as the driver keeps for a while */
    TransmitFixup(NetDevice device, int packetsKept) {
        this.device = device;
        this.scratch = new SkBuffPool(packetsKept, HEADROOM + device.maxFrameBytes());
    }

    /** Nobody holds the device any more. */
    void close() {
        scratch.close();
    }

    NetdevTx transmit(SkBuff skb) {
        if (!resume()) {
            return NetdevTx.BUSY;
        }
        finishChecksum(skb);
        if (TransmitFeatures.cover(device, skb)) {
            return hasToTag(skb) ? transmitTagged(skb) : give(skb);
        }
        int sent = sendFrom(skb, 0);
        if (sent == 0) {
            return NetdevTx.BUSY;
        }
        finishOrKeep(skb, sent);
        return NetdevTx.OK;
    }

    /** To those who look, and to the driver ({@code xmit_one}). */
    private NetdevTx give(SkBuff skb) {
        device.protocols().showOutgoing(skb, device.linkType());
        return device.driver().ops().startXmit(skb, device);
    }

    /** True if the tag beside a frame is to go into it ({@code validate_xmit_vlan}). */
    private boolean hasToTag(SkBuff skb) {
        return skb.vlanTagPresent()
                && !TransmitFeatures.inserts(device.features().active(), skb);
    }

    /** The buffer is as it was if it is given back. */
    private NetdevTx transmitTagged(SkBuff skb) {
        VlanTags.putInside(skb);
        NetdevTx outcome = give(skb);
        if (outcome == NetdevTx.BUSY) {
            VlanTags.takeOut(skb);
        }
        return outcome;
    }

    /** Goes on with the train that waits; true if none waits any more. */
    boolean resume() {
        SkBuff skb = pending;
        if (skb == null) {
            return true;
        }
        pending = null;
        finishOrKeep(skb, sendFrom(skb, pendingIndex));
        return pending == null;
    }

    /** True if a train waits of which the driver took only a part. */
    boolean isPending() {
        return pending != null;
    }

    /** Drops the train that waits, if {@code condition} holds of it; returns how many were dropped. */
    int purge(Predicate<? super SkBuff> condition) {
        SkBuff skb = pending;
        if (skb == null || !condition.test(skb)) {
            return 0;
        }
        pending = null;
        skb.free();
        return 1;
    }

    /**
     * Sums in place what the driver cannot ({@code skb_csum_hwoffload_help}), if the bytes stay as they are and are the sender's
     * alone; any other packet is copied first.
     */
    private void finishChecksum(SkBuff skb) {
        boolean left = skb.offload() == null && !skb.isGso() && !TransmitFeatures.sum(device, skb);
        if (left && !skb.isCloned() && !skb.hasTxFlag(TxFlag.SHARED_FRAG)) {
            try {
                PacketChecksum.finish(skb);
            } catch (IllegalStateException closed) {
                // The memory of a fragment is gone: copying will find that out, and count it.
                return;
            }
        }
    }

    private void finishOrKeep(SkBuff skb, int next) {
        if (next < packets(skb)) {
            pending = skb;
            pendingIndex = next;
        } else {
            skb.free();
        }
    }

    private static int packets(SkBuff skb) {
        return skb.isGso() ? skb.gsoSegs() : 1;
    }

    /** Sends packet {@code index} and those after it; returns the index of the first one that is still to be sent. */
    private int sendFrom(SkBuff skb, int index) {
        // What an offload makes begins with the network header; each packet gets a copy of the link header
        // (skb_mac_gso_segment).
        int linkBytes = skb.offload() == null || !skb.networkHeaderWasSet() ? 0 : skb.networkHeader() - skb.data();
        skb.pull(linkBytes);
        int next = sendFrom(skb, index, linkBytes);
        skb.push(linkBytes);
        return next;
    }

    private int sendFrom(SkBuff skb, int index, int linkBytes) {
        int packets = packets(skb);
        for (int i = index; i < packets; i++) {
            if (!fits(skb, i, linkBytes)) {
                device.stats().countTransmitError();
                continue;
            }
            SkBuff packet = scratch.allocate();
            if (packet == null) {
                return i;
            }
            if (!build(skb, i, packet, linkBytes)) {
                device.stats().countTransmitError();
                packet.free();
                continue;
            }
            if (give(packet) == NetdevTx.BUSY) {
                packet.free();
                return i;
            }
        }
        return packets;
    }

    /** False for a packet longer than the MTU, and for a train that nobody can cut. */
    private boolean fits(SkBuff skb, int index, int linkBytes) {
        PacketOffload offload = skb.offload();
        int bytes;
        if (offload != null) {
            bytes = linkBytes + offload.segmentBytes(skb, index);
        } else if (!skb.isGso()) {
            bytes = skb.len();
        } else {
            return false;
        }
        return bytes <= device.maxFrameBytes();
    }

    /** False if the memory of a fragment is gone. */
    private boolean build(SkBuff skb, int index, SkBuff packet, int linkBytes) {
        packet.reserve(HEADROOM);
        if (!copy(skb, index, packet)) {
            return false;
        }
        packet.copyFields(skb);
        if (index == packets(skb) - 1) {
            askForTime(skb, packet);
        }
        if (skb.offload() != null) {
            packet.ipSummed(ChecksumState.NONE);
        } else if (!TransmitFeatures.sum(device, packet)) {
            PacketChecksum.finish(packet);
        }
        if (linkBytes > 0) {
            int at = packet.push(linkBytes);
            MemorySegment.copy(skb.memory(), skb.data() - linkBytes, packet.memory(), at, linkBytes);
            packet.setMacHeader(0);
        }
        if (hasToTag(packet)) {
            VlanTags.putInside(packet);
        }
        return true;
    }

    /** The sender hears when the last packet of its buffer was sent. */
    private static void askForTime(SkBuff skb, SkBuff packet) {
        boolean byLink = skb.hasTxFlag(TxFlag.HW_TSTAMP);
        boolean byHost = skb.hasTxFlag(TxFlag.SW_TSTAMP);
        if (byLink || byHost) {
            packet.owner(skb.owner());
            packet.txFlag(TxFlag.HW_TSTAMP, byLink);
            packet.txFlag(TxFlag.SW_TSTAMP, byHost);
        }
    }

    private static boolean copy(SkBuff skb, int index, SkBuff packet) {
        PacketOffload offload = skb.offload();
        if (offload != null) {
            return offload.segment(skb, index, packet);
        }
        int length = skb.len();
        int at = packet.put(length);
        try {
            skb.copyBits(0, packet.memory(), at, length);
            return true;
        } catch (IllegalStateException closed) {
            return false;
        }
    }
}
