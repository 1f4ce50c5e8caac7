package io.rdma4j.tools.perftest;

/**
 * One of the tests, and what follows from what it does and measures. The defaults are perftest's.
 *
 * @param verb what it does
 * @param measure what it measures
 */
public record PerfTest(Verb verb, Measure measure) {
    /** The largest message of a run over all sizes. */
    static final int MAX_SIZE = 1 << 23;

    /** Receives posted on a queue pair, where messages take them. */
    static final int RECEIVES = 512;

    /** Bytes that an atomic operation works on. */
    static final int ATOMIC_BYTES = 8;

    /** What the user types. */
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

    /** Only each so many sends may give a completion. With WRITEs, READs and atomics perftest's latency tests wait for each one. */
    boolean moderatesCompletions() {
        return !isLatency() || verb == Verb.SEND;
    }

    /** Both sides send in turn; a time between two messages is twice a latency. */
    boolean isPingPong() {
        return isLatency() && !verb.isAnswered();
    }

    /** One side sends, and the other has nothing to do but to be there. */
    boolean isReceiverIdle(PerfOptions.Load load) {
        return !isPingPong() && !load.consumesReceives() && !load.bidirectional();
    }

    /** Whether this end begins a ping-pong. In perftest that is the client with SENDs, and the server with WRITEs. */
    boolean sendsFirst(boolean client) {
        return !isPingPong() || client == (verb == Verb.SEND);
    }
}
