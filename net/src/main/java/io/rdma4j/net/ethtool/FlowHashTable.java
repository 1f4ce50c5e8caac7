package io.rdma4j.net.ethtool;

import io.rdma4j.base.Errno;
import io.rdma4j.base.RdmaException;
import java.util.List;
import java.util.stream.IntStream;

/**
 * Which flow is received by which queue ({@code ethtool_rxfh}): the hash of a packet, modulo the number of entries, chooses
 * one.
 *
 * @param queues the receive queue of each entry
 */
public record FlowHashTable(List<Integer> queues) {
    /** @throws RdmaException EINVAL for a table without entries */
    public FlowHashTable {
        queues = List.copyOf(queues);
        if (queues.isEmpty()) {
            throw new RdmaException(Errno.EINVAL, "a flow hash table has one entry at least");
        }
    }

    /** Flows to all of {@code channels} queues in turn ({@code ethtool_rxfh_indir_default}). */
    public static FlowHashTable spread(int entries, int channels) {
        return new FlowHashTable(
                IntStream.range(0, entries).mapToObj(entry -> entry % channels).toList());
    }

    /** The queue of a flow. */
    public int queueOf(int hash) {
        return queues.get(Integer.remainderUnsigned(hash, queues.size()));
    }
}
