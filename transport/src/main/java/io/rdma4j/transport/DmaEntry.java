package io.rdma4j.transport;

import io.rdma4j.verbs.AccessFlag;
import io.rdma4j.verbs.DmaDirection;
import java.lang.foreign.MemorySegment;

/**
 * What is mapped at one address of a {@link DmaSpace}: the memory, which way data may go, and whose turn it is. An entry of an
 * IOMMU's table.
 *
 * <p>Whoever changes it has made sure that nobody is in the port loop.
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

    /** Says whether it is the device's turn, as it is at first, or the program's. */
    void hand(boolean toDevice) {
        ofDevice = toDevice;
    }

    /** True if the device may do now what needs {@code access}, bits of {@link AccessFlag}; 0 is a local read. */
    boolean admits(int access) {
        boolean reads = access == 0 || (access & READS) != 0;
        boolean writes = (access & WRITES) != 0;
        return ofDevice
                && (!reads || direction.isReadByDevice())
                && (!writes || direction.isWrittenByDevice())
                && memory.scope().isAlive();
    }
}
