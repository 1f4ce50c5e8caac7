// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.verbs.spi;

/** Registration of a {@link PollSource} at a device. Any thread. */
public interface PollRegistration extends AutoCloseable {
    /**
     * Reports new work after a thread has slept. If no other thread drives the device, the calling thread does the
     * work. Wakes the sleeping threads.
     */
    void wake();

    /**
     * Removes the source; the device does not poll it after this method has returned. Not on the thread that drives the
     * device.
     */
    @Override
    void close();
}
