// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.net.ethtool;

import io.rdma4j.base.Errno;
import io.rdma4j.base.RdmaException;
import java.util.List;
import java.util.stream.IntStream;

/**
 * Assigns flows to receive queues ({@code ethtool_rxfh}): the hash of a packet, modulo the number of entries, selects
 * an entry.
 *
 * @param queues the receive queue of each entry
 */
public record FlowHashTable(List<Integer> queues) {
    /**
     * Checks that there are entries, and copies them.
     *
     * @throws RdmaException EINVAL for a table without entries
     */
    public FlowHashTable {
        queues = List.copyOf(queues);
        if (queues.isEmpty()) {
            throw new RdmaException(Errno.EINVAL, "a flow hash table has one entry at least");
        }
    }

    /**
     * {@return a table that distributes flows evenly over {@code channels} queues ({@code ethtool_rxfh_indir_default})}
     *
     * @param entries number of entries, at least 1
     * @param channels number of queues, at least 1
     */
    public static FlowHashTable spread(int entries, int channels) {
        return new FlowHashTable(
                IntStream.range(0, entries).mapToObj(entry -> entry % channels).toList());
    }

    /**
     * {@return the queue of a flow}
     *
     * @param hash hash of the flow, 32 bits
     */
    public int queueOf(int hash) {
        return queues.get(Integer.remainderUnsigned(hash, queues.size()));
    }
}
