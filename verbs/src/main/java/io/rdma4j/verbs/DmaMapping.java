package io.rdma4j.verbs;

import io.rdma4j.base.Errno;
import io.rdma4j.base.RdmaException;
import io.rdma4j.verbs.spi.DmaOps;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.VarHandle;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Memory of the program at an address of the device: what the keys of a {@linkplain ProtectionDomain#dmaRegion DMA region} are
 * good for, and what {@linkplain ProtectionDomain#registerPhysical regions of physical buffers} are made of. Answers to what
 * {@code ib_dma_map_single} and {@code ib_dma_alloc_coherent} return.
 *
 * <p>Mapped memory is the device's, to be used as its {@link #direction} says, until it is unmapped or {@link #syncForCpu}
 * gives it to the program. Any thread may call. The caller of {@link DmaTable#map} closes it, after the work requests that use
 * it have completed and before the arena of the memory.
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

    /** @param arena of coherent memory: closed with the mapping */
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
                table.context().life());
    }

    /** {@return the context whose device it is mapped for} */
    public Context context() {
        return table.context();
    }

    /**
     * {@return the memory}
     *
     * @throws RdmaException EBUSY while it is the device's, if the table {@linkplain DmaTable#debug looks} for that
     */
    public MemorySegment segment() {
        if (table.isDebugged() && ofDevice && kind != DmaKind.COHERENT) {
            throw new RdmaException(
                    Errno.EBUSY, this + " is the device's (" + direction + "): call syncForCpu() or unmap it first");
        }
        return segment;
    }

    /** {@return what work requests with a DMA region's key call its first byte: 64 bits} */
    public long address() {
        return ops.address();
    }

    /** {@return bytes that are mapped} */
    public long lengthBytes() {
        return segment.byteSize();
    }

    /** {@return which way data go} */
    public DmaDirection direction() {
        return direction;
    }

    /** {@return how it was mapped} */
    public Set<DmaAttribute> attributes() {
        return attributes;
    }

    /** {@return true if it is the device's turn; coherent memory is always both's} */
    public boolean isOfDevice() {
        return ofDevice;
    }

    /**
     * Gives the memory to the program, which sees all that the device has written: the device does not touch it, and requests
     * that need it fail. Answers to {@code ib_dma_sync_single_for_cpu}.
     *
     * @throws RdmaException EINVAL if it is closed or coherent, or the program has it, if the table
     *     {@linkplain DmaTable#debug looks} for that
     */
    public void syncForCpu() {
        hand(false);
    }

    /**
     * Gives the memory back to the device, which sees all that the program has written. Answers to
     * {@code ib_dma_sync_single_for_device}.
     *
     * @throws RdmaException EINVAL if it is closed or coherent, or the device has it, if the table
     *     {@linkplain DmaTable#debug looks} for that
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

    /** True if {@code other} shares bytes with it, and the device writes them by one of the two. */
    boolean isInTheWayOf(MemorySegment other, DmaDirection otherDirection) {
        boolean written = direction.isWrittenByDevice() || otherDirection.isWrittenByDevice();
        return written && segment.asOverlappingSlice(other).isPresent();
    }

    /** True if all of the buffer is inside. */
    boolean holds(PhysicalBuffer buffer) {
        long offset = buffer.address() - address();
        return offset >= 0 && buffer.lengthBytes() <= lengthBytes() && offset <= lengthBytes() - buffer.lengthBytes();
    }

    /** Where a buffer that is inside lies: read-only if the device may not write it. */
    MemorySegment slice(PhysicalBuffer buffer) {
        MemorySegment slice = segment.asSlice(buffer.address() - address(), buffer.lengthBytes());
        return direction.isWrittenByDevice() ? slice : slice.asReadOnly();
    }

    DmaKind kind() {
        return kind;
    }

    Lifecycle life() {
        return life;
    }

    /**
     * Ends it: the address leads nowhere; coherent memory is freed. Idempotent. Answers to {@code ib_dma_unmap_single} and
     * {@code ib_dma_free_coherent}.
     *
     * @throws RdmaException EBUSY while a region consists of it
     */
    @Override
    public void close() {
        if (life.close(ops::close)) {
            VarHandle.acquireFence();
            table.forget(this);
            if (arena != null) {
                arena.close();
            }
            context().life().release(ObjectKind.DMA_MAPPING);
        }
    }

    @Override
    public String toString() {
        return life.name();
    }
}
