// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.verbs;

import java.util.OptionalInt;

/** The destination of a send request for queue pairs without a fixed peer; immutable. */
public sealed interface SendDestination {
    /**
     * A queue pair on a path. Corresponds to {@code wr.ud}.
     *
     * @param path of the queue pair's protection domain
     * @param remoteQpn 24 bits; 0xFFFFFF for a multicast group
     * @param remoteQkey 32 bits; if bit 31 is set, the queue pair's own Q_Key is used instead
     * @param pkeyIndex index of the P_Key table; GSI queue pairs only
     */
    record Datagram(AddressHandle path, int remoteQpn, int remoteQkey, OptionalInt pkeyIndex)
            implements SendDestination {}

    /**
     * A shared receive queue of the peer. Corresponds to {@code qp_type.xrc}.
     *
     * @param number 24 bits
     */
    record XrcSrq(int number) implements SendDestination {}
}
