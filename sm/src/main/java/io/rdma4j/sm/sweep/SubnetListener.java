// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.sm.sweep;

import io.rdma4j.base.Gid;
import java.lang.foreign.MemorySegment;

/** Hears of the events of a subnet. */
public interface SubnetListener {
    /** @param notice 80 bytes; valid during the call */
    void notice(MemorySegment notice, long nowNs);

    /** A heavy sweep of the master has ended. */
    void swept();

    /** A port is no longer reachable. */
    void gone(Gid port, long nowNs);

    /** The manager is no longer the master of the subnet. */
    void handedOver();
}
