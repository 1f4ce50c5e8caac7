package io.rdma4j.net.loop;

/** Who gives a loop its time. */
public enum ProgressMode {
    /** Threads that post or poll drive it; a thread of its own takes over when nobody does. */
    AUTOMATIC,
    /** Only {@link NetLoop#progress}: simulations and tests step it, in whatever time they like. */
    MANUAL
}
