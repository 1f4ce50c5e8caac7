// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.verbs.spi;

import io.rdma4j.base.Gid;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A network interface of a host over a port of an InfiniBand device, such as IP over InfiniBand: rdma_cm finds own
 * addresses and the ports of peers by it ({@code struct rdma_dev_addr}). Any thread.
 */
public interface PortInterface extends AddressResolver {
    /** {@return the IP addresses of the interface} */
    List<Gid> addresses();

    /** {@return the GID in its link address, which is in the GID table of the port below} */
    Gid gid();

    /** {@return the P_Key of its partition with the bit of full membership, 16 bits} */
    int pkey();

    /**
     * {@return the GID in the link address of the next hop to an address, or of the multicast group; null while it is
     * not known}
     *
     * @param destination IP address or group
     */
    @Nullable
    Gid gidOf(Gid destination);
}
