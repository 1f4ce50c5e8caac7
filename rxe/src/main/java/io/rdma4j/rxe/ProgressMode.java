package io.rdma4j.rxe;

/** Who gives a device its time. */
public enum ProgressMode {
    /** Threads that post or poll drive the device; a thread of its own takes over when nobody does. */
    AUTOMATIC,
    /** Only {@link RxePort#progress}: simulations and tests step it, in whatever time they like. */
    MANUAL
}
