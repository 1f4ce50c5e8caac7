package io.rdma4j.net.link;

import java.util.Arrays;
import java.util.stream.Collectors;

/**
 * What became of the packets of one path, or of several, counted from 0. Written by who sends; others may read, and see values that are a
 * little old.
 */
public final class LinkStats {
    private static final LinkFate[] FATES = LinkFate.values();

    private final long[] counts = new long[FATES.length];

    /** All counts are 0. */
    public LinkStats() {}

    /**
     * {@return how many packets had this fate}
     *
     * @param fate one of the constants
     */
    public long count(LinkFate fate) {
        return counts[fate.ordinal()];
    }

    /** One more. */
    void add(LinkFate fate) {
        counts[fate.ordinal()]++;
    }

    /**
     * Adds the counts of another path.
     *
     * @param other stays as it is
     */
    public void add(LinkStats other) {
        for (int i = 0; i < counts.length; i++) {
            counts[i] += other.counts[i];
        }
    }

    @Override
    public String toString() {
        return Arrays.stream(FATES).map(fate -> count(fate) + " " + fate.text()).collect(Collectors.joining(", "));
    }
}
