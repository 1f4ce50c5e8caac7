// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.tools.perftest;

/**
 * One of the tests, with the properties that follow from operation and measurement. The defaults are perftest's.
 *
 * @param verb operation
 * @param measure measured quantity
 */
public record PerfTest(Verb verb, Measure measure) {
    /** Largest message of a run over all sizes. */
    static final int MAX_SIZE = 1 << 23;

    /** Receives posted on a queue pair, if messages take receives. */
    static final int RECEIVES = 512;

    /** Bytes that an atomic changes. */
    static final int ATOMIC_BYTES = 8;

    /** Returns the name that users type. */
    public String name() {
        return "ib_" + verb.word() + "_" + measure.word();
    }

    boolean isLatency() {
        return measure == Measure.LATENCY;
    }

    int defaultSize() {
        return verb == Verb.ATOMIC ? ATOMIC_BYTES : isLatency() ? 2 : 65_536;
    }

    int defaultIterations() {
        return verb == Verb.WRITE && !isLatency() ? 5000 : 1000;
    }

    int defaultTxDepth() {
        return isLatency() ? 1 : 128;
    }

    /**
     * True if only one of several sends may be signalled. With WRITEs, READs and atomics perftest's latency tests
     * signal each one.
     */
    boolean moderatesCompletions() {
        return !isLatency() || verb == Verb.SEND;
    }

    /** True if both sides send in turn; a time between two messages is then twice a latency. */
    boolean isPingPong() {
        return isLatency() && !verb.isAnswered();
    }

    /** True if only one side posts requests and the program of the other side is idle. */
    boolean isReceiverIdle(PerfOptions.Load load) {
        return !isPingPong() && !load.consumesReceives() && !load.bidirectional();
    }

    /**
     * True if this end sends first in a ping-pong. In perftest that is the client with SENDs, and the server with
     * WRITEs.
     */
    boolean sendsFirst(boolean client) {
        return !isPingPong() || client == (verb == Verb.SEND);
    }
}
