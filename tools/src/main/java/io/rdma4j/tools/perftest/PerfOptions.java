package io.rdma4j.tools.perftest;

import io.rdma4j.base.Gid;
import io.rdma4j.base.Mtu;
import io.rdma4j.verbs.QpType;
import io.rdma4j.verbs.Rate;
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
 * @param infinite run until the process is ended, and print a row each {@code durationS} seconds
 * @param reversed the server sends to the client
 * @param validate the side that gets the bytes compares them with what was sent
 * @param latencyGapNs before each message of a latency test
 * @param waitDestroyS seconds to wait before the objects are destroyed
 * @param pacing how fast messages may leave
 * @param gigabits report in Gbit/s
 * @param limitBandwidth fail if less was reached; 0 for no limit
 * @param limitMessageRate the same, in millions a second
 * @param reporting how results are told
 * @param tcpPort of the exchange
 * @param sourceAddress from which the exchange connects, or where it listens; null for any
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
     * How the queue pairs are connected.
     *
     * @param service their type
     * @param port of the device, from 1
     * @param gidIndex slot of the port's GID table; {@link #DEFAULT_GID} if not given
     * @param ipv6 without a slot, the first one with an IPv6 address
     * @param pkeyIndex slot of the port's P_Key table
     * @param retryCount retries of a packet that is not acknowledged, 3 bits
     * @param multicast datagrams go to a group; null if they do not, {@link Gid#ZERO} for the default group
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
            boolean ipv6,
            int pkeyIndex,
            int retryCount,
            @Nullable Gid multicast,
            @Nullable Mtu mtu,
            int serviceLevel,
            int trafficClass,
            int timeout,
            int outstandingReads) {
        /** No GID index was given: the device of the route decides. */
        static final int DEFAULT_GID = -1;
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

    /** How results are told. */
    enum Output {
        /** As a table. */
        FULL,
        /** As the bandwidth alone. */
        BANDWIDTH,
        /** As the message rate alone. */
        MESSAGE_RATE,
        /** As the average latency alone. */
        LATENCY
    }

    /**
     * How results are told.
     *
     * @param json print one JSON document instead
     * @param jsonFile file for that document; null for none
     * @param page file for the plot; null for none
     * @param output what is printed
     * @param histogram print all times of a latency test, sorted
     * @param unsorted print them in the order of the messages
     * @param cycles print times in cycles of the clock, which are nanoseconds
     * @param both print the two directions of a bidirectional test separately as well
     * @param cpuUtilization print how busy the machine's CPUs were
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
     * How fast messages may leave.
     *
     * @param bytesPerSecond of all queue pairs together; 0 for no limit, or if {@code messagesPerSecond} counts
     * @param messagesPerSecond of all queue pairs together; 0 for no limit, or if {@code bytesPerSecond} counts
     * @param burst messages that leave together
     * @param device rate of each queue pair that the device enforces
     */
    record Pacing(double bytesPerSecond, double messagesPerSecond, int burst, Rate device) {
        /** As fast as possible. */
        static final Pacing NONE = new Pacing(0, 0, 0, Rate.PORT_CURRENT);

        /** Of messages of a size, for the program; 0 if it does not limit anything. */
        double messagesPerSecond(int sizeBytes) {
            return bytesPerSecond > 0 ? bytesPerSecond / sizeBytes : messagesPerSecond;
        }
    }

    /** This end connects the TCP connection. */
    boolean isClient() {
        return server != null;
    }

    /** This end sends if one end only does: the client, unless the direction is reversed. */
    boolean isSender() {
        return isClient() != reversed;
    }

    boolean isTimed() {
        return durationS > 0;
    }
}
