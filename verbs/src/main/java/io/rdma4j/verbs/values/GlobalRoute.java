// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.verbs.values;

import io.rdma4j.base.Gid;
import io.rdma4j.verbs.core.Arguments;

/**
 * The part of a path that the global route header contains, or the IP header on RoCE v2. Corresponds to
 * {@code struct ibv_global_route}.
 *
 * @param destination {@code dgid}
 * @param flowLabel {@code flow_label}: 20 bits; on RoCE v2 the UDP source port is also derived from it
 * @param sourceGidIndex {@code sgid_index}: index in the local GID table, 8 bits
 * @param hopLimit {@code hop_limit}: 8 bits
 * @param trafficClass {@code traffic_class}: 8 bits
 */
public record GlobalRoute(Gid destination, int flowLabel, int sourceGidIndex, int hopLimit, int trafficClass) {
    private static final int FLOW_LABEL_BITS = 20;

    /**
     * Checks the widths.
     *
     * @throws io.rdma4j.base.RdmaException EINVAL if a value has more bits than its field
     */
    public GlobalRoute {
        Arguments.bits("flow_label", flowLabel, FLOW_LABEL_BITS);
        Arguments.bits("sgid_index", sourceGidIndex, Byte.SIZE);
        Arguments.bits("hop_limit", hopLimit, Byte.SIZE);
        Arguments.bits("traffic_class", trafficClass, Byte.SIZE);
    }

    /**
     * {@return a route to a GID, with flow label 0, traffic class 0 and hop limit 64}
     *
     * @param destination {@code dgid}
     * @param sourceGidIndex {@code sgid_index}: index in the local GID table, from 0
     */
    public static GlobalRoute to(Gid destination, int sourceGidIndex) {
        return new GlobalRoute(destination, 0, sourceGidIndex, 64, 0);
    }
}
