// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.net.transmit;

import io.rdma4j.net.device.DeviceCore;
import io.rdma4j.net.feature.DeviceFeatures;
import io.rdma4j.net.receive.ProtocolHandlers;
import io.rdma4j.net.skb.PacketChecksum;
import io.rdma4j.net.skb.VlanTags;
import io.rdma4j.packet.ChecksumState;
import io.rdma4j.packet.PacketOffload;
import io.rdma4j.packet.SkBuff;
import io.rdma4j.packet.SkBuffPool;
import io.rdma4j.packet.TxFlag;
import java.lang.foreign.MemorySegment;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Does offloads in software that the driver does not support ({@code validate_xmit_skb}): cuts trains, computes
 * checksums and linearises fragments. It builds one packet after the other in scratch buffers.
 *
 * <p>A partly sent train cannot be returned to the caller. It stays here, as a requeued buffer in
 * {@code qdisc->gso_skb}, and continues before any other packet is sent.
 */
final class TransmitFixup {
    /** Headroom of packets that are built here, bytes; a multiple of a cache line. */
    private static final int HEADROOM = 64;

    private final DeviceCore core;
    private final DeviceFeatures features;
    private final TransmitDriver driver;
    private final ProtocolHandlers protocols;
    private final SkBuffPool scratch;
    private @Nullable SkBuff pending;
    private int pendingIndex;

    /**
     * Creates the scratch buffers: {@code packetsKept} is the maximum number of packets that the driver holds at a
     * time.
     */
    TransmitFixup(
            DeviceCore core,
            DeviceFeatures features,
            TransmitDriver driver,
            ProtocolHandlers protocols,
            int packetsKept) {
        this.core = core;
        this.features = features;
        this.driver = driver;
        this.protocols = protocols;
        this.scratch = new SkBuffPool(packetsKept, HEADROOM + core.maxFrameBytes());
    }

    /** Releases the scratch buffers; the device has no references. */
    void close() {
        scratch.close();
    }

    NetdevTx transmit(SkBuff skb) {
        if (!resume()) {
            return NetdevTx.BUSY;
        }
        finishChecksum(skb);
        if (TransmitFeatures.cover(core, features, driver, skb)) {
            return hasToTag(skb) ? transmitTagged(skb) : give(skb);
        }
        int sent = sendFrom(skb, 0);
        if (sent == 0) {
            return NetdevTx.BUSY;
        }
        finishOrKeep(skb, sent);
        return NetdevTx.OK;
    }

    /** Passes a packet to the taps and to the driver ({@code xmit_one}). */
    private NetdevTx give(SkBuff skb) {
        protocols.showOutgoing(skb, core.linkType());
        return driver.startXmit(skb);
    }

    /** Returns true if the core must insert the frame's tag ({@code validate_xmit_vlan}). */
    private boolean hasToTag(SkBuff skb) {
        return skb.meta().vlanTagPresent() && !TransmitFeatures.inserts(features.active(), skb);
    }

    /** Inserts the tag and sends the frame. If the result is BUSY, the buffer is restored. */
    private NetdevTx transmitTagged(SkBuff skb) {
        VlanTags.putInside(skb);
        NetdevTx outcome = give(skb);
        if (outcome == NetdevTx.BUSY) {
            VlanTags.takeOut(skb);
        }
        return outcome;
    }

    /** Continues with the partly sent train. Returns true if none is left. */
    boolean resume() {
        SkBuff skb = pending;
        if (skb == null) {
            return true;
        }
        pending = null;
        finishOrKeep(skb, sendFrom(skb, pendingIndex));
        return pending == null;
    }

    /** Returns true if a partly sent train waits. */
    boolean isPending() {
        return pending != null;
    }

    /** Drops the waiting train if {@code condition} matches it. Returns the number of dropped buffers. */
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
     * Computes in place a checksum that the driver does not support ({@code skb_csum_hwoffload_help}), if only the
     * sender uses the bytes and they do not change. Otherwise the packet is copied first.
     */
    private void finishChecksum(SkBuff skb) {
        boolean left =
                skb.shinfo().offload() == null && !skb.shinfo().isGso() && !TransmitFeatures.sum(features.of(skb), skb);
        if (left && !skb.isCloned() && !skb.shinfo().hasTxFlag(TxFlag.SHARED_FRAG)) {
            try {
                PacketChecksum.finish(skb);
            } catch (IllegalStateException closed) {
                // The memory of a fragment was released; the copy fails for the same reason and counts the error.
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
        return skb.shinfo().isGso() ? skb.shinfo().gsoSegs() : 1;
    }

    /** Sends packets from {@code index} on. Returns the index of the first packet that is not sent. */
    private int sendFrom(SkBuff skb, int index) {
        // Packets of an offload begin with the network header; each packet gets a copy of the link header
        // (skb_mac_gso_segment).
        int linkBytes =
                skb.shinfo().offload() == null || !skb.networkHeaderWasSet() ? 0 : skb.networkHeader() - skb.data();
        skb.pull(linkBytes);
        int next = sendFrom(skb, index, linkBytes);
        skb.push(linkBytes);
        return next;
    }

    private int sendFrom(SkBuff skb, int index, int linkBytes) {
        int packets = packets(skb);
        for (int i = index; i < packets; i++) {
            if (!fits(skb, i, linkBytes)) {
                core.stats().countTransmitError();
                continue;
            }
            SkBuff packet = scratch.allocate();
            if (packet == null) {
                return i;
            }
            if (!build(skb, i, packet, linkBytes)) {
                core.stats().countTransmitError();
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

    /** Returns false for a packet longer than the MTU, and for a train that the core cannot cut. */
    private boolean fits(SkBuff skb, int index, int linkBytes) {
        PacketOffload offload = skb.shinfo().offload();
        int bytes;
        if (offload != null) {
            bytes = linkBytes + offload.segmentBytes(skb, index);
        } else if (!skb.shinfo().isGso()) {
            bytes = skb.len();
        } else {
            return false;
        }
        return bytes <= core.maxFrameBytes();
    }

    /** Returns false if the memory of a fragment was released. */
    private boolean build(SkBuff skb, int index, SkBuff packet, int linkBytes) {
        packet.reserve(HEADROOM);
        if (!copy(skb, index, packet)) {
            return false;
        }
        packet.copyFields(skb);
        if (index == packets(skb) - 1) {
            askForTime(skb, packet);
        }
        if (skb.shinfo().offload() != null) {
            packet.meta().ipSummed(ChecksumState.NONE);
        } else if (!TransmitFeatures.sum(features.of(packet), packet)) {
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

    /** Requests a timestamp for the last packet of a buffer, if the sender requested one for the buffer. */
    private static void askForTime(SkBuff skb, SkBuff packet) {
        boolean byLink = skb.shinfo().hasTxFlag(TxFlag.HW_TSTAMP);
        boolean byHost = skb.shinfo().hasTxFlag(TxFlag.SW_TSTAMP);
        if (byLink || byHost) {
            packet.meta().owner(skb.meta().owner());
            packet.shinfo().txFlag(TxFlag.HW_TSTAMP, byLink);
            packet.shinfo().txFlag(TxFlag.SW_TSTAMP, byHost);
        }
    }

    private static boolean copy(SkBuff skb, int index, SkBuff packet) {
        PacketOffload offload = skb.shinfo().offload();
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
