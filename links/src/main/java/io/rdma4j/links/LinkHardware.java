// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.links;

import io.rdma4j.base.NanoClock;
import io.rdma4j.net.NetDevice;
import io.rdma4j.net.feature.NetDeviceFeature;
import io.rdma4j.net.skb.FrameCheck;
import io.rdma4j.net.skb.PacketTimestamps;
import io.rdma4j.packet.SkBuff;
import io.rdma4j.packet.TxFlag;
import org.jspecify.annotations.Nullable;

/**
 * Functions of the adapter at one end of a virtual link in addition to carrying frames. It timestamps packets if the
 * link has a clock, and verifies the frame check sequence of frames that carry one. Received frames keep it if {@link
 * NetDeviceFeature#RXFCS} is on.
 *
 * <p>Each method runs on the loop that its Javadoc names.
 */
final class LinkHardware {
    private final FrameCheck check = new FrameCheck();
    private volatile @Nullable NanoClock clock;

    /** Sets the clock for timestamps; null: the link has no clock. */
    void clock(@Nullable NanoClock ofLink) {
        clock = ofLink;
    }

    /**
     * Accepts a packet from the sender and marks it if a timestamp will follow ({@code SKBTX_IN_PROGRESS}). Loop of the
     * sender.
     */
    void accept(SkBuff skb) {
        if (skb.shinfo().hasTxFlag(TxFlag.HW_TSTAMP) && clock != null) {
            skb.shinfo().txFlag(TxFlag.IN_PROGRESS, true);
        }
    }

    /** Reports the transmit timestamp of a packet whose frame is on the link. Loop of the sender. */
    void sent(SkBuff skb) {
        NanoClock time = clock;
        if (time != null && skb.shinfo().hasTxFlag(TxFlag.IN_PROGRESS)) {
            PacketTimestamps.transmitted(skb, time.nanoTime());
        }
    }

    /**
     * Processes a received frame. Returns false if the frame check sequence is wrong: the caller drops the frame. Loop
     * of the receiver.
     */
    boolean arrive(SkBuff frame, NetDevice to) {
        NanoClock time = clock;
        if (time != null) {
            frame.shinfo().hwtstamp(time.nanoTime());
        }
        if (!frame.meta().noFcs()) {
            return true;
        }
        if (!check.fits(frame)) {
            return false;
        }
        if (!to.features().has(NetDeviceFeature.RXFCS)) {
            FrameCheck.strip(frame);
        }
        return true;
    }
}
