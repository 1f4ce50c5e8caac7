package io.rdma4j.base;

/** A monotonic clock in nanoseconds of arbitrary origin; compare readings with {@link Deadline} only. */
@FunctionalInterface
public interface NanoClock {
    /** The JVM's clock. */
    NanoClock SYSTEM = System::nanoTime;

    /** {@return nanoseconds; never goes back} */
    long nanoTime();
}
