// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.hca;

import io.rdma4j.verbs.device.LinkSpeed;
import io.rdma4j.verbs.device.LinkWidth;

/**
 * InfiniBand width and speed that correspond to the speed of an Ethernet link. Corresponds to {@code ib_get_eth_speed}.
 */
public record LinkRate(LinkWidth width, LinkSpeed speed) {
    /** @param mbps 10^6 bits per second */
    public static LinkRate ofMbps(int mbps) {
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
