// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.transport.memory;

import io.rdma4j.verbs.values.AccessFlag;
import io.rdma4j.verbs.values.DmaDirection;
import java.lang.foreign.MemorySegment;

/**
 * One mapping of a {@link DmaSpace}: the memory, the direction of transfers, and whether the device or the application
 * owns it now. Corresponds to an entry of an IOMMU's table.
 *
 * <p>The caller that changes an entry ensures that no thread runs the port loop.
 */
final class DmaEntry {
    private static final int WRITES =
            AccessFlag.LOCAL_WRITE.bit() | AccessFlag.REMOTE_WRITE.bit() | AccessFlag.REMOTE_ATOMIC.bit();
    private static final int READS = AccessFlag.REMOTE_READ.bit() | AccessFlag.REMOTE_ATOMIC.bit();

    private final MemorySegment memory;
    private final DmaDirection direction;
    private boolean ofDevice = true;

    DmaEntry(MemorySegment memory, DmaDirection direction) {
        this.memory = memory;
        this.direction = direction;
    }

    MemorySegment memory() {
        return memory;
    }

    /** Sets the owner: the device, as it is at first, or the application. */
    void hand(boolean toDevice) {
        ofDevice = toDevice;
    }

    /**
     * True if the device may now perform an access with {@code access}, bits of {@link AccessFlag}; 0 is a local read.
     */
    boolean admits(int access) {
        boolean reads = access == 0 || (access & READS) != 0;
        boolean writes = (access & WRITES) != 0;
        return ofDevice
                && (!reads || direction.isReadByDevice())
                && (!writes || direction.isWrittenByDevice())
                && memory.scope().isAlive();
    }
}
