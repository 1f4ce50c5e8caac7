package io.rdma4j.testing.sim;

import io.rdma4j.verbs.WorkCompletion;

/** Whoever looks at what arrives in one direction of a connection, and sees to it that there are receives for it. */
interface Target extends Actor {
    /** What the numbers of receives have besides their own, so that both kinds may share a completion queue. */
    long WR_ID_MARK = 1L << 40;

    /** A receive of its queue pair has come back; {@code dying}: the connection is being killed. */
    void onCompletion(WorkCompletion wc, boolean dying);

    /** Messages received. */
    int received();

    /** True if nothing more has to come. */
    boolean isDone();

    /** True if every receive that was posted for it alone has come back. */
    boolean isIdle();

    /** The connection stands anew: goes on with the next message that was not received. */
    void restart();

    /** All is done: nothing was lost on the way. */
    void checkEnd();
}
