// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.mad.gsi;

/** Work of a client that the driver of a port does with its own: its timers. See {@link GeneralServices#add}. */
@FunctionalInterface
public interface TimedWork {
    /**
     * Does what is due. Called by the thread that drives the port, without a lock; must not block.
     *
     * @param nowNs the time
     * @return the time of the next call, or {@link io.rdma4j.base.Deadline#NEVER}
     */
    long advance(long nowNs);
}
