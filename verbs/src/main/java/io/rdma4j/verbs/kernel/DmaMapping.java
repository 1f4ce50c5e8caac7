// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.verbs.kernel;

import io.rdma4j.base.Errno;
import io.rdma4j.base.RdmaException;
import io.rdma4j.verbs.Context;
import io.rdma4j.verbs.core.Lifecycle;
import io.rdma4j.verbs.core.ObjectKind;
import io.rdma4j.verbs.spi.DmaOps;
import io.rdma4j.verbs.state.ContextState;
import io.rdma4j.verbs.values.DmaAttribute;
import io.rdma4j.verbs.values.DmaDirection;
import io.rdma4j.verbs.values.PhysicalBuffer;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.VarHandle;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Memory of the application that is mapped at an address of the device. The keys of a {@linkplain
 * io.rdma4j.verbs.ProtectionDomain#dmaRegion DMA region} are valid for mapped memory, and {@linkplain
 * io.rdma4j.verbs.ProtectionDomain#registerPhysical regions of physical buffers} consist of it. Corresponds to the
 * results of {@code ib_dma_map_single} and {@code ib_dma_alloc_coherent}.
 *
 * <p>The device owns mapped memory, within its {@link #direction}, until it is unmapped or {@link #syncForCpu}
 * transfers it to the application. Any thread. The caller of {@link DmaTable#map} closes the mapping, after the work
 * requests that use it have completed and before the arena of the memory.
 */
public final class DmaMapping implements AutoCloseable {
    private final DmaTable table;
    private final DmaKind kind;
    private final MemorySegment segment;
    private final DmaDirection direction;
    private final Set<DmaAttribute> attributes;
    private final @Nullable Arena arena;
    private final DmaOps ops;
    private final Lifecycle life;
    private volatile boolean ofDevice;

    /** @param arena the arena of coherent memory, closed with the mapping; else null */
    DmaMapping(
            DmaTable table,
            DmaKind kind,
            MemorySegment segment,
            DmaDirection direction,
            Set<DmaAttribute> attributes,
            @Nullable Arena arena,
            DmaOps ops) {
        this.table = table;
        this.kind = kind;
        this.segment = segment;
        this.direction = direction;
        this.attributes = attributes;
        this.arena = arena;
        this.ops = ops;
        this.ofDevice = !attributes.contains(DmaAttribute.SKIP_CPU_SYNC);
        this.life = new Lifecycle(
                String.format("%s 0x%x", ObjectKind.DMA_MAPPING, ops.address()),
                table.state().life());
    }

    /** {@return the context of the device that the memory is mapped for} */
    public Context context() {
        return table.context();
    }

    /**
     * {@return the memory}
     *
     * @throws RdmaException EBUSY while the device owns it, if {@linkplain DmaTable#debug debug checks} are on
     */
    public MemorySegment segment() {
        if (table.isDebugged() && ofDevice && kind != DmaKind.COHERENT) {
            throw new RdmaException(
                    Errno.EBUSY, this + " is the device's (" + direction + "): call syncForCpu() or unmap it first");
        }
        return segment;
    }

    /** {@return the device address of the first byte, for work requests with a DMA region's key: 64 bits} */
    public long address() {
        return ops.address();
    }

    /** {@return the length in bytes} */
    public long lengthBytes() {
        return segment.byteSize();
    }

    /** {@return the direction of the data} */
    public DmaDirection direction() {
        return direction;
    }

    /** {@return the options of the mapping} */
    public Set<DmaAttribute> attributes() {
        return attributes;
    }

    /**
     * {@return true while the device owns the memory} Coherent memory is accessible to the application at all times.
     */
    public boolean isOfDevice() {
        return ofDevice;
    }

    /**
     * Transfers the memory to the application, which sees everything that the device has written. The device does not
     * access the memory afterwards; work requests that use it fail. Corresponds to {@code ib_dma_sync_single_for_cpu}.
     *
     * @throws RdmaException EINVAL if the mapping is closed or coherent, or, if {@linkplain DmaTable#debug debug
     *     checks} are on, if the application owns the memory already
     */
    public void syncForCpu() {
        hand(false);
    }

    /**
     * Transfers the memory back to the device, which sees everything that the application has written. Corresponds to
     * {@code ib_dma_sync_single_for_device}.
     *
     * @throws RdmaException EINVAL if the mapping is closed or coherent, or, if {@linkplain DmaTable#debug debug
     *     checks} are on, if the device owns the memory already
     */
    public void syncForDevice() {
        hand(true);
    }

    private synchronized void hand(boolean toDevice) {
        life.checkOpen();
        if (kind == DmaKind.COHERENT) {
            throw new RdmaException(Errno.EINVAL, this + " is coherent: it is program's and device's at once");
        }
        if (table.isDebugged() && ofDevice == toDevice) {
            throw new RdmaException(
                    Errno.EINVAL, this + " is the " + (toDevice ? "device's" : "program's") + " already");
        }
        ofDevice = toDevice;
        if (toDevice) {
            VarHandle.releaseFence();
            ops.syncForDevice();
        } else {
            ops.syncForCpu();
            VarHandle.acquireFence();
        }
    }

    /** True if {@code other} shares bytes with this mapping, and the device writes them through one of the two. */
    boolean isInTheWayOf(MemorySegment other, DmaDirection otherDirection) {
        boolean written = direction.isWrittenByDevice() || otherDirection.isWrittenByDevice();
        return written && segment.asOverlappingSlice(other).isPresent();
    }

    /** True if the buffer is within the mapping. */
    boolean holds(PhysicalBuffer buffer) {
        long offset = buffer.address() - address();
        return offset >= 0 && buffer.lengthBytes() <= lengthBytes() && offset <= lengthBytes() - buffer.lengthBytes();
    }

    /** The memory of a buffer within the mapping; read-only if the device may not write it. */
    MemorySegment slice(PhysicalBuffer buffer) {
        MemorySegment slice = segment.asSlice(buffer.address() - address(), buffer.lengthBytes());
        return direction.isWrittenByDevice() ? slice : slice.asReadOnly();
    }

    ContextState state() {
        return table.state();
    }

    DmaKind kind() {
        return kind;
    }

    Lifecycle life() {
        return life;
    }

    /**
     * Unmaps the memory; its address becomes invalid. Coherent memory is freed. Idempotent. Corresponds to
     * {@code ib_dma_unmap_single} and {@code ib_dma_free_coherent}.
     *
     * @throws RdmaException EBUSY while a memory region uses the mapping
     */
    @Override
    public void close() {
        if (life.close(ops::close)) {
            VarHandle.acquireFence();
            table.forget(this);
            if (arena != null) {
                arena.close();
            }
            table.state().life().release(ObjectKind.DMA_MAPPING);
        }
    }

    @Override
    public String toString() {
        return life.name();
    }
}
