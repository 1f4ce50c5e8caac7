// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.dropin;

/** The functions of C that Java calls, on the thread that raises an event. C registers them when it starts the JVM. */
final class CEvents {
    private CEvents() {}

    /** Raises an event of a completion queue; {@code cq} is its address in C. */
    static native void completionEvent(long cq);

    /** Raises an asynchronous event of a context; {@code object} is the address of the queue in C, or 0. */
    static native void asyncEvent(long context, int type, long object, int port);

    /** Counts an event of rdma_cm at the eventfd of its channel (1), or one that is gone (-1). */
    static native void connectionEvents(int descriptor, int change);

    /**
     * Copies pages to {@code file}, a shared mapping, or to private memory if it is 0, and puts that in their place.
     * Threads that write to the pages meanwhile wait. Returns 0 or an errno.
     */
    static native int movePages(long pages, long bytes, long file);

    /** True if no other thread than the calling one and those of the JVM runs. */
    static native boolean isOnlyThread();

    /** Copies pages, and puts the copy in their place in the child of the fork that has begun. */
    static native void copyForChild(long pages, long bytes);
}
