package io.rdma4j.testing.sim;

/** Applications that have something to do and know when it is done. */
interface Activity extends Actor {
    /** True when everything has been done and has come back. */
    boolean isDone();

    /** Requests that have come back so far; grows as long as there is progress. */
    int steps();

    /** What they have brought about so far: messages, or operations. */
    int achieved();

    /** Looks at everything once more, now that all is done and nothing is under way. */
    void checkEnd();
}
