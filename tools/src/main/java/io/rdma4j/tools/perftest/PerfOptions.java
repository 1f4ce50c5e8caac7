package io.rdma4j.tools.perftest;

import io.rdma4j.base.Mtu;
import io.rdma4j.verbs.QpType;
import java.util.List;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * What the user asked a performance test for.
 *
 * @param tcpPort of the exchange
 * @param device name or specification; null for the first device
 * @param port of the device, from 1
 * @param gidIndex slot of the port's GID table
 * @param service of the queue pairs
 * @param mtu path MTU; null for that of the port
 * @param allSizes run sizes from 2 to 2^23
 * @param sizeBytes of a message; the largest if all sizes are run
 * @param iterations messages on each queue pair; 0 if a duration is given
 * @param durationS seconds to run; 0 if iterations count
 * @param marginS seconds before and after what is measured of a duration
 * @param queuePairs connections to the peer
 * @param txDepth sends under way on each queue pair
 * @param rxDepth receives posted on each queue pair
 * @param cqModeration every so many sends give a completion
 * @param postList sends posted at a time
 * @param inlineBytes messages up to this size are sent inline
 * @param outstandingReads reads and atomics under way on a queue pair
 * @param bidirectional both sides send
 * @param events sleep instead of polling
 * @param compareSwap atomics are compare-and-swaps, not fetch-and-adds
 * @param warmUp send some messages before measuring
 * @param noPeak do not look for the best moment
 * @param gigabits report in Gbit/s
 * @param serviceLevel 4 bits
 * @param trafficClass 8 bits
 * @param timeout ACK timeout code, 5 bits
 * @param limitBandwidth fail if less was reached; 0 for no limit
 * @param limitMessageRate the same, in millions a second
 * @param json print one JSON document
 * @param report file for the plot; null for none
 * @param server whom to connect to; null to be the server
 */
record PerfOptions(
        int tcpPort,
        @Nullable String device,
        int port,
        int gidIndex,
        QpType service,
        @Nullable Mtu mtu,
        boolean allSizes,
        int sizeBytes,
        int iterations,
        int durationS,
        int marginS,
        int queuePairs,
        int txDepth,
        int rxDepth,
        int cqModeration,
        int postList,
        int inlineBytes,
        int outstandingReads,
        boolean bidirectional,
        boolean events,
        boolean compareSwap,
        boolean warmUp,
        boolean noPeak,
        boolean gigabits,
        int serviceLevel,
        int trafficClass,
        int timeout,
        double limitBandwidth,
        double limitMessageRate,
        boolean json,
        @Nullable String report,
        @Nullable String server) {

    boolean isClient() {
        return server != null;
    }

    boolean isTimed() {
        return durationS > 0;
    }

    /** The sizes to run, none larger than {@code limit}. */
    List<Integer> sizes(int limit) {
        return allSizes
                ? IntStream.iterate(2, size -> size <= Math.min(limit, sizeBytes), size -> size * 2)
                        .boxed()
                        .toList()
                : List.of(sizeBytes);
    }
}
