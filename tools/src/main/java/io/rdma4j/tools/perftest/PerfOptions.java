// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.tools.perftest;

import io.rdma4j.base.Gid;
import io.rdma4j.base.Mtu;
import io.rdma4j.verbs.values.QpType;
import io.rdma4j.verbs.values.Rate;
import java.util.List;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * Options of a performance test.
 *
 * @param device name or specification; null: the connection to the peer determines it
 * @param connection attributes of the queue pairs
 * @param cm what rdma_cm does
 * @param load messages to send
 * @param durationS seconds to run; 0: the test ends after {@code iterations}
 * @param marginS unmeasured seconds at the beginning and at the end of a duration
 * @param events sleep instead of polling
 * @param warmUp send some messages before measuring
 * @param noPeak do not measure the highest bandwidth
 * @param infinite run until the process is ended, and print a row every {@code durationS} seconds
 * @param reversed the server sends to the client
 * @param validate the receiving side compares the bytes with those sent
 * @param latencyGapNs pause before each message of a latency test
 * @param waitDestroyS seconds to wait before the objects are destroyed
 * @param pacing rate limit of messages
 * @param gigabits report in Gbit/s
 * @param limitBandwidth minimum bandwidth for success; 0 for none
 * @param limitMessageRate minimum rate for success, in million messages per second; 0 for none
 * @param reporting output format
 * @param tcpPort of the exchange
 * @param sourceAddress local address of the TCP connection or of the listener; null for any
 * @param server name or address of the server; null to be the server
 */
record PerfOptions(
        @Nullable String device,
        Connection connection,
        Cm cm,
        Load load,
        int durationS,
        int marginS,
        boolean events,
        boolean warmUp,
        boolean noPeak,
        boolean infinite,
        boolean reversed,
        boolean validate,
        long latencyGapNs,
        int waitDestroyS,
        Pacing pacing,
        boolean gigabits,
        double limitBandwidth,
        double limitMessageRate,
        Reporting reporting,
        int tcpPort,
        @Nullable String sourceAddress,
        @Nullable String server) {

    /**
     * Attributes of the queue pairs.
     *
     * @param service their type
     * @param port of the device, from 1
     * @param gidIndex slot of the port's GID table; {@link #DEFAULT_GID} if not given
     * @param ipv6 without a slot, use the first one with an IPv6 address
     * @param pkeyIndex slot of the port's P_Key table
     * @param retryCount retries of a packet that is not acknowledged, 3 bits
     * @param multicast multicast group of datagrams; null for unicast, {@link Gid#ZERO} for the default group
     * @param mtu path MTU; null for that of the port
     * @param serviceLevel 4 bits
     * @param trafficClass 8 bits
     * @param timeout ACK timeout code, 5 bits
     * @param outstandingReads READs and atomics outstanding on a queue pair; 0 for the limit of both devices
     */
    record Connection(
            QpType service,
            int port,
            int gidIndex,
            boolean ipv6,
            int pkeyIndex,
            int retryCount,
            @Nullable Gid multicast,
            @Nullable Mtu mtu,
            int serviceLevel,
            int trafficClass,
            int timeout,
            int outstandingReads) {
        /** Value for a GID index that was not given: the device of the route determines it. */
        static final int DEFAULT_GID = -1;
    }

    /**
     * Use of rdma_cm.
     *
     * @param carriesExchange the exchange goes over a connection of rdma_cm, not over TCP
     * @param connects rdma_cm connects the queue pairs of the test
     * @param typeOfService of their packets, 8 bits; negative if not given
     */
    record Cm(boolean carriesExchange, boolean connects, int typeOfService) {}

    /**
     * Messages of a test.
     *
     * @param allSizes run sizes from 2 to 2^23
     * @param sizeBytes of a message; the largest if all sizes are run
     * @param iterations messages on each queue pair; 0 if the test runs for a time
     * @param queuePairs connections to the peer
     * @param txDepth outstanding sends on each queue pair
     * @param rxDepth receives posted on each queue pair
     * @param cqModeration one of so many sends is signalled
     * @param postList sends posted at a time
     * @param inlineBytes messages up to this size are sent inline
     * @param receivePostList receives posted at a time
     * @param sharedReceives receives of all queue pairs come from one shared queue
     * @param immediate messages carry immediate data
     * @param consumesReceives a message takes a receive of the peer
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
            int receivePostList,
            boolean sharedReceives,
            boolean immediate,
            boolean consumesReceives,
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

    /** Content of the output. */
    enum Output {
        /** Table of all results. */
        FULL,
        /** Bandwidth only. */
        BANDWIDTH,
        /** Message rate only. */
        MESSAGE_RATE,
        /** Average latency only. */
        LATENCY
    }

    /**
     * Output format of results.
     *
     * @param json print one JSON document instead
     * @param jsonFile file for that document; null for none
     * @param page file for the plot; null for none
     * @param output printed results
     * @param histogram print all times of a latency test, sorted
     * @param unsorted print them in the order of the messages
     * @param cycles print times in cycles of the clock, which are nanoseconds
     * @param both print the two directions of a bidirectional test separately as well
     * @param cpuUtilization print the utilisation of the machine's CPUs
     */
    record Reporting(
            boolean json,
            @Nullable String jsonFile,
            @Nullable String page,
            Output output,
            boolean histogram,
            boolean unsorted,
            boolean cycles,
            boolean both,
            boolean cpuUtilization) {}

    /**
     * Rate limit of messages.
     *
     * @param bytesPerSecond of all queue pairs together; 0 for no limit, or if {@code messagesPerSecond} is set
     * @param messagesPerSecond of all queue pairs together; 0 for no limit, or if {@code bytesPerSecond} is set
     * @param burst messages sent together
     * @param device rate of each queue pair that the device enforces
     */
    record Pacing(double bytesPerSecond, double messagesPerSecond, int burst, Rate device) {
        /** No limit. */
        static final Pacing NONE = new Pacing(0, 0, 0, Rate.PORT_CURRENT);

        /** Limit for messages of a size that the program enforces; 0 for none. */
        double messagesPerSecond(int sizeBytes) {
            return bytesPerSecond > 0 ? bytesPerSecond / sizeBytes : messagesPerSecond;
        }
    }

    /** True if this end opens the TCP connection. */
    boolean isClient() {
        return server != null;
    }

    /** True if this end sends in a unidirectional test: the client, unless the direction is reversed. */
    boolean isSender() {
        return isClient() != reversed;
    }

    boolean isTimed() {
        return durationS > 0;
    }
}
