// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.base;

/** A monotonic clock in nanoseconds with an arbitrary origin. Compare readings only with {@link Deadline}. */
@FunctionalInterface
public interface NanoClock {
    /** The JVM's clock. */
    NanoClock SYSTEM = System::nanoTime;

    /** {@return nanoseconds; never decreases} */
    long nanoTime();
}
