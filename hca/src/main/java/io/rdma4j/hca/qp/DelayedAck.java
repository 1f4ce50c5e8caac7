// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.hca.qp;

/**
 * Decides whether an acknowledgement that falls due while an application thread polls is delayed until the thread polls
 * again.
 *
 * <p>A received message often makes the application post a reply at once. A delayed acknowledgement then shares the
 * system call of the reply. The thread that polls runs the loop again in any case, with a reply or for another poll;
 * the acknowledgement is sent in that run. If the recent pauses between polls were long, no acknowledgement is delayed.
 * This is the heuristic of TCP's delayed acknowledgements. If the thread does not poll again, the loop thread of
 * {@link io.rdma4j.loop.NetLoop} sends the acknowledgement within 0.1 s, before the peer's usual timeout.
 *
 * <p>For the owner of the port loop only.
 */
final class DelayedAck {
    /** Maximum pause between two polls that still counts as prompt, ns. */
    static final long PROMPT_NS = 100_000;

    /** Number of consecutive prompt polls before acknowledgements are delayed. */
    static final int TIMES = 3;

    private long runNs;
    private boolean polled;
    private boolean owed;
    private boolean kept;
    private boolean keeps;
    private int prompt;

    /**
     * Begins a run of the loop. Further rounds of the same run have no effect.
     *
     * @param nowNs start of the run
     * @param byPoller whether an application thread that polls runs the loop
     */
    void begin(long nowNs, boolean byPoller) {
        if (nowNs == runNs) {
            return;
        }
        if (owed) {
            prompt = nowNs - runNs <= PROMPT_NS ? Math.min(prompt + 1, TIMES) : 0;
        }
        keeps = byPoller && prompt == TIMES && !kept;
        runNs = nowNs;
        polled = byPoller;
        owed = false;
        kept = false;
    }

    /** Ends the delay until the next run. Returns true if an acknowledgement was delayed. */
    boolean end() {
        keeps = false;
        return kept;
    }

    /** Returns true if an acknowledgement fell due in this run, so that the time of the next run matters. */
    boolean isOwed() {
        return owed;
    }

    /** Returns true if the acknowledgement that is due now is delayed; never in two consecutive runs. */
    boolean keeps() {
        owed |= polled;
        kept |= keeps;
        return keeps;
    }
}
