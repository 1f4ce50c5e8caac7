// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.verbs.values;

import io.rdma4j.base.Gid;
import io.rdma4j.base.RdmaException;
import io.rdma4j.verbs.core.Arguments;
import org.jspecify.annotations.Nullable;

/**
 * Describes the path to a peer. Corresponds to {@code struct ibv_ah_attr}.
 *
 * @param route {@code grh}, with {@code is_global} set; null for a path within an InfiniBand subnet. Ethernet requires
 *     one.
 * @param dlid {@code dlid}: 16 bits; 0 on Ethernet
 * @param serviceLevel {@code sl}: 4 bits
 * @param sourcePathBits {@code src_path_bits}: 7 bits
 * @param staticRate {@code static_rate}: maximum rate of the path
 * @param port {@code port_num}: local port, from 1
 */
public record AddressVector(
        @Nullable GlobalRoute route, int dlid, int serviceLevel, int sourcePathBits, Rate staticRate, int port) {

    /**
     * Checks the widths.
     *
     * @throws RdmaException EINVAL if a value has more bits than its field
     */
    public AddressVector {
        Arguments.bits("dlid", dlid, Short.SIZE);
        Arguments.bits("sl", serviceLevel, 4);
        Arguments.bits("src_path_bits", sourcePathBits, 7);
        Arguments.bits("port_num", port, Byte.SIZE);
    }

    /**
     * {@return a path over RoCE to a GID}
     *
     * @param port local port that sends the packets, from 1
     * @param destination GID of the peer or of the multicast group
     * @param sourceGidIndex index of the source GID in the port's GID table, from 0
     */
    public static AddressVector roce(int port, Gid destination, int sourceGidIndex) {
        return global(port, GlobalRoute.to(destination, sourceGidIndex));
    }

    /**
     * {@return a path with a global route; all other fields are 0}
     *
     * @param port local port that sends the packets, from 1
     * @param route contents of the GRH
     */
    public static AddressVector global(int port, GlobalRoute route) {
        return new AddressVector(route, 0, 0, 0, Rate.PORT_CURRENT, port);
    }

    /**
     * {@return a path within an InfiniBand subnet}
     *
     * @param port local port that sends the packets, from 1
     * @param dlid {@code dlid}: 16 bits
     * @param serviceLevel {@code sl}: 4 bits
     */
    public static AddressVector local(int port, int dlid, int serviceLevel) {
        return new AddressVector(null, dlid, serviceLevel, 0, Rate.PORT_CURRENT, port);
    }
}
