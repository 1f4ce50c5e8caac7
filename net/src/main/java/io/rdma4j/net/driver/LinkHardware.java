package io.rdma4j.net.driver;

import io.rdma4j.base.NanoClock;
import io.rdma4j.net.NetDevice;
import io.rdma4j.net.NetDeviceFeature;
import io.rdma4j.net.skb.FrameCheck;
import io.rdma4j.net.skb.PacketTimestamps;
import io.rdma4j.packet.SkBuff;
import io.rdma4j.packet.TxFlag;
import org.jspecify.annotations.Nullable;

/**
 * What the adapter at one end of a virtual link does besides carrying frames: it takes the time, if the link has a clock, and
 * checks frames that bring their check sequence along. Received frames keep it if {@link NetDeviceFeature#RXFCS} is on.
 *
 * <p>Each method belongs to the loop that its Javadoc names.
 */
final class LinkHardware {
    private final FrameCheck check = new FrameCheck();
    private volatile @Nullable NanoClock clock;

    /** The time that frames are stamped with; null: the link has no clock. */
    void clock(@Nullable NanoClock ofLink) {
        clock = ofLink;
    }

    /** The sender hands a packet over ({@code SKBTX_IN_PROGRESS}); by its loop. */
    void accept(SkBuff skb) {
        if (skb.hasTxFlag(TxFlag.HW_TSTAMP) && clock != null) {
            skb.txFlag(TxFlag.IN_PROGRESS, true);
        }
    }

    /** The frame that was made of a packet is on its way; by the loop of the sender. */
    void sent(SkBuff skb) {
        NanoClock time = clock;
        if (time != null && skb.hasTxFlag(TxFlag.IN_PROGRESS)) {
            PacketTimestamps.transmitted(skb, time.nanoTime());
        }
    }

    /** A frame arrives; by the loop of the receiver. False if its check sequence does not fit: it is to be dropped. */
    boolean arrive(SkBuff frame, NetDevice to) {
        NanoClock time = clock;
        if (time != null) {
            frame.hwtstamp(time.nanoTime());
        }
        if (!frame.noFcs()) {
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
