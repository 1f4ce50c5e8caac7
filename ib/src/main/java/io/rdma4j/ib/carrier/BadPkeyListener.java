// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.ib.carrier;

/** Hears of packets whose P_Key is that of a partition that their queue pair is not in. For the owner of the loop. */
public interface BadPkeyListener {
    /**
     * A packet was dropped.
     *
     * @param source LID of its sender
     * @param sourceQpn 0 if the packet does not have it
     */
    void badPkey(int source, int pkey, int serviceLevel, int sourceQpn, int destinationQpn);
}
