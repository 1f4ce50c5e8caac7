// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.sm;

import java.lang.foreign.MemorySegment;

/** Hears of the events of a subnet. */
interface NoticeListener {
    /** @param notice 80 bytes; valid during the call */
    void notice(MemorySegment notice, long nowNs);
}
