package io.rdma4j.verbs;

import java.util.OptionalInt;

/** Where a send request goes if the queue pair does not know; immutable. */
public sealed interface SendDestination {
    /**
     * A queue pair on a path. Answers to {@code wr.ud}.
     *
     * @param path of the queue pair's protection domain
     * @param remoteQpn 24 bits; 0xFFFFFF for a multicast group
     * @param remoteQkey 32 bits; with bit 31 set the queue pair's own is meant
     * @param pkeyIndex slot of the P_Key table; GSI queue pairs only
     */
    record Datagram(AddressHandle path, int remoteQpn, int remoteQkey, OptionalInt pkeyIndex)
            implements SendDestination {}

    /**
     * A shared receive queue of the peer. Answers to {@code qp_type.xrc}.
     *
     * @param number 24 bits
     */
    record XrcSrq(int number) implements SendDestination {}
}
