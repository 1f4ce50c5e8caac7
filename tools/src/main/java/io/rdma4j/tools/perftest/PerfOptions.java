package io.rdma4j.tools.perftest;

import io.rdma4j.base.Mtu;
import io.rdma4j.verbs.QpType;
import java.util.List;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * What the user asked a performance test for.
 *
 * @param device name or specification; null if the peer decides
 * @param connection how the queue pairs are connected
 * @param load what goes over them
 * @param durationS seconds to run; 0 if iterations count
 * @param marginS seconds before and after what is measured of a duration
 * @param events sleep instead of polling
 * @param warmUp send some messages before measuring
 * @param noPeak do not look for the best moment
 * @param gigabits report in Gbit/s
 * @param limitBandwidth fail if less was reached; 0 for no limit
 * @param limitMessageRate the same, in millions a second
 * @param json print one JSON document
 * @param report file for the plot; null for none
 * @param tcpPort of the exchange
 * @param server whom to connect to; null to be the server
 */
record PerfOptions(
        @Nullable String device,
        Connection connection,
        Load load,
        int durationS,
        int marginS,
        boolean events,
        boolean warmUp,
        boolean noPeak,
        boolean gigabits,
        double limitBandwidth,
        double limitMessageRate,
        boolean json,
        @Nullable String report,
        int tcpPort,
        @Nullable String server) {

    /**
     * How the queue pairs are connected.
     *
     * @param service their type
     * @param port of the device, from 1
     * @param gidIndex slot of the port's GID table; {@link #DEFAULT_GID} if not given
     * @param mtu path MTU; null for that of the port
     * @param serviceLevel 4 bits
     * @param trafficClass 8 bits
     * @param timeout ACK timeout code, 5 bits
     * @param outstandingReads reads and atomics under way on a queue pair; 0 for what both devices can
     */
    record Connection(
            QpType service,
            int port,
            int gidIndex,
            @Nullable Mtu mtu,
            int serviceLevel,
            int trafficClass,
            int timeout,
            int outstandingReads) {
        /** No GID index was given: the device of the route decides. */
        static final int DEFAULT_GID = -1;

        /** The slot that is used: 0 if neither the user nor the route has chosen one. */
        int gidSlot() {
            return Math.max(0, gidIndex);
        }

        private Connection withGid(int index) {
            return new Connection(service, port, index, mtu, serviceLevel, trafficClass, timeout, outstandingReads);
        }
    }

    /**
     * What goes over the queue pairs.
     *
     * @param allSizes run sizes from 2 to 2^23
     * @param sizeBytes of a message; the largest if all sizes are run
     * @param iterations messages on each queue pair; 0 if the test runs for a time
     * @param queuePairs connections to the peer
     * @param txDepth sends under way on each queue pair
     * @param rxDepth receives posted on each queue pair
     * @param cqModeration every so many sends give a completion
     * @param postList sends posted at a time
     * @param inlineBytes messages up to this size are sent inline
     * @param bidirectional both sides send
     * @param compareSwap atomics are compare-and-swaps, not fetch-and-adds
     */
    record Load(
            boolean allSizes,
            int sizeBytes,
            int iterations,
            int queuePairs,
            int txDepth,
            int rxDepth,
            int cqModeration,
            int postList,
            int inlineBytes,
            boolean bidirectional,
            boolean compareSwap) {
        /** The sizes to run, none larger than {@code limit}. */
        List<Integer> sizes(int limit) {
            return allSizes
                    ? IntStream.iterate(2, size -> size <= Math.min(limit, sizeBytes), size -> size * 2)
                            .boxed()
                            .toList()
                    : List.of(sizeBytes);
        }
    }

    /** The same with a slot of the GID table, unless the user has given one. */
    PerfOptions withDefaultGid(int index) {
        return connection.gidIndex() >= 0
                ? this
                : new PerfOptions(
                        device,
                        connection.withGid(index),
                        load,
                        durationS,
                        marginS,
                        events,
                        warmUp,
                        noPeak,
                        gigabits,
                        limitBandwidth,
                        limitMessageRate,
                        json,
                        report,
                        tcpPort,
                        server);
    }

    boolean isClient() {
        return server != null;
    }

    boolean isTimed() {
        return durationS > 0;
    }
}
