package io.rdma4j.rxe;

/**
 * Whether acknowledgements that fall due while an application thread polls wait until it comes back.
 *
 * <p>What arrives often makes the application post an answer at once. An acknowledgement that waits for it shares its system
 * call, and the answer is not held up by one. A thread that polls comes back in any case, with an answer or to poll again; then
 * the acknowledgement goes. If the threads of late took their time, nothing waits for them: as with the delayed acknowledgements
 * of TCP, what they did is the best guess at what they will do. Should the guess be wrong, {@link io.rdma4j.net.loop.NetLoop}'s watcher
 * comes by within milliseconds, long before a peer's timeout.
 *
 * <p>Belongs to the owner of the port loop.
 */
final class AckPatience {
    /** Who is back within this is back at once, nanoseconds. */
    static final long PROMPT_NS = 100_000;

    /** So many times in a row a thread must have been back at once. */
    static final int TIMES = 3;

    private long visitNs;
    private boolean polled;
    private boolean owed;
    private boolean kept;
    private boolean keeps;
    private int prompt;

    /**
     * A visit begins, or has another round.
     *
     * @param nowNs when it began
     * @param byPoller whether it is a thread that polls
     */
    void begin(long nowNs, boolean byPoller) {
        if (nowNs == visitNs) {
            return;
        }
        if (owed) {
            prompt = nowNs - visitNs <= PROMPT_NS ? Math.min(prompt + 1, TIMES) : 0;
        }
        keeps = byPoller && prompt == TIMES && !kept;
        visitNs = nowNs;
        polled = byPoller;
        owed = false;
        kept = false;
    }

    /** Nothing waits any more before the next visit; true if something did. */
    boolean end() {
        keeps = false;
        return kept;
    }

    /** True if it matters when the next visit comes. */
    boolean isOwed() {
        return owed;
    }

    /** True if the acknowledgement that is due now waits; never twice in a row. */
    boolean keeps() {
        owed |= polled;
        kept |= keeps;
        return keeps;
    }
}
