package io.rdma4j.rxe;

import io.rdma4j.base.RdmaException;
import io.rdma4j.net.NetDevice;
import io.rdma4j.net.ethtool.LinkSettings;
import io.rdma4j.verbs.device.LinkSpeed;
import io.rdma4j.verbs.device.LinkWidth;

/**
 * InfiniBand width and speed that correspond to the speed of an Ethernet link. Corresponds to {@code ib_get_eth_speed}.
 */
record LinkRate(LinkWidth width, LinkSpeed speed) {
    /** Speed that Linux assumes if the driver reports none. */
    private static final int ASSUMED_MBPS = 1000;

    /** Returns the rate of an interface as its driver reports it now; the speed may change. */
    static LinkRate of(NetDevice device) {
        try {
            int mbps = device.ethtool().linkSettings().speedMbps();
            return ofMbps(mbps == LinkSettings.UNKNOWN ? ASSUMED_MBPS : mbps);
        } catch (RdmaException e) {
            // The driver does not report a speed.
            return ofMbps(ASSUMED_MBPS);
        }
    }

    /** @param mbps 10^6 bits per second */
    static LinkRate ofMbps(int mbps) {
        if (mbps <= 1000) {
            return new LinkRate(LinkWidth.X1, LinkSpeed.SDR);
        } else if (mbps <= 10_000) {
            return new LinkRate(LinkWidth.X1, LinkSpeed.FDR10);
        } else if (mbps <= 20_000) {
            return new LinkRate(LinkWidth.X4, LinkSpeed.DDR);
        } else if (mbps <= 25_000) {
            return new LinkRate(LinkWidth.X1, LinkSpeed.EDR);
        } else if (mbps <= 40_000) {
            return new LinkRate(LinkWidth.X4, LinkSpeed.FDR10);
        } else if (mbps <= 50_000) {
            return new LinkRate(LinkWidth.X2, LinkSpeed.EDR);
        } else if (mbps <= 100_000) {
            return new LinkRate(LinkWidth.X4, LinkSpeed.EDR);
        }
        return new LinkRate(mbps <= 200_000 ? LinkWidth.X4 : LinkWidth.X8, LinkSpeed.HDR);
    }

    /**
     * Returns true for rates that are newer than SDR, DDR and QDR. FDR10 does not count: it is a QDR link with less
     * encoding overhead.
     */
    boolean isExtended() {
        return speed.code() >= LinkSpeed.FDR.code();
    }
}
