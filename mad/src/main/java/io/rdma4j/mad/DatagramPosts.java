// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.mad;

import io.rdma4j.verbs.wr.WcStatus;
import java.lang.foreign.MemorySegment;
import java.util.HashMap;
import java.util.Map;

/** Posts datagrams and gives their completions back to the poster. Guarded by the port. */
final class DatagramPosts {
    /** Answers of the MAD layer that may wait for their completion; a flood of requests cannot cause more. */
    static final int MAX_REPLIES = 256;

    /** Receives the completion of a datagram. */
    @FunctionalInterface
    interface Completion {
        void completed(WcStatus status, long nowNs);
    }

    private final DatagramOutput output;
    private final MadCounters counters;
    private final SnoopList snoops;
    private final Map<Long, Completion> posted = new HashMap<>();
    private long handles;
    private int replies;

    DatagramPosts(DatagramOutput output, MadCounters counters, SnoopList snoops) {
        this.output = output;
        this.counters = counters;
        this.snoops = snoops;
    }

    void post(MadAddress to, MemorySegment datagram, Completion completion) {
        long handle = ++handles;
        posted.put(handle, completion);
        counters.count(MadCounter.SENT);
        snoops.saw(MadSnoopEvent.SENT, to, datagram);
        output.post(handle, to, datagram);
    }

    /** Sends an answer of the MAD layer itself, unless too many of them wait. */
    void reply(MadAddress to, MemorySegment datagram) {
        if (replies == MAX_REPLIES) {
            counters.count(MadCounter.REPLIES_DROPPED);
            return;
        }
        replies++;
        post(to, datagram, (_, _) -> replies--);
    }

    void completed(long handle, WcStatus status, long nowNs) {
        Completion completion = posted.remove(handle);
        if (completion != null) {
            completion.completed(status, nowNs);
        }
    }

    int pkeyIndex(int pkey) {
        return output.pkeyIndex(pkey);
    }
}
