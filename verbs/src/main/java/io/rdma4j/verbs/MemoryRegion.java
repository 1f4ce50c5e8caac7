package io.rdma4j.verbs;

import io.rdma4j.verbs.spi.MrOps;
import java.lang.foreign.MemorySegment;
import java.util.Set;

/**
 * Memory that the device may use. Answers to {@code struct ibv_mr}.
 *
 * <p>Keeps the memory reachable, but not its arena open: close the region first. Any thread may call. The caller of
 * {@link ProtectionDomain#registerMemory} closes it, after the work requests that use it have completed.
 */
public final class MemoryRegion implements AutoCloseable {
    private final ProtectionDomain pd;
    private final MemorySegment segment;
    private final long iova;
    private final Set<AccessFlag> access;
    private final MrOps ops;
    private final Lifecycle life;

    MemoryRegion(ProtectionDomain pd, MemorySegment segment, long iova, Set<AccessFlag> access, MrOps ops) {
        this.pd = pd;
        this.segment = segment;
        this.iova = iova;
        this.access = Set.copyOf(access);
        this.ops = ops;
        this.life = new Lifecycle(String.format("%s 0x%08x", ObjectKind.MEMORY_REGION, ops.lkey()));
    }

    /** The protection domain it belongs to. */
    public ProtectionDomain protectionDomain() {
        return pd;
    }

    /** The memory itself. */
    public MemorySegment segment() {
        return segment;
    }

    /** Where the memory lies in the JVM's address space. Answers to {@code addr}. */
    public long address() {
        return segment.address();
    }

    /** What work requests call its first byte; the same as {@link #address} unless asked otherwise. */
    public long iova() {
        return iova;
    }

    /** Bytes. Answers to {@code length}. */
    public long lengthBytes() {
        return segment.byteSize();
    }

    /** Key for scatter/gather elements: 32 bits. */
    public int lkey() {
        return ops.lkey();
    }

    /** Key to give to the peer: 32 bits. */
    public int rkey() {
        return ops.rkey();
    }

    /** What it was registered for. */
    public Set<AccessFlag> access() {
        return access;
    }

    /** A checked part of it; see {@link Sge#of(MemoryRegion, long, int)}. */
    public Sge sge(long offset, int length) {
        return Sge.of(this, offset, length);
    }

    void checkOpen() {
        life.checkOpen();
    }

    /**
     * Ends the registration: the device does not touch the memory any more. Idempotent. Answers to {@code ibv_dereg_mr}.
     *
     * @throws io.rdma4j.base.RdmaException EBUSY while a memory window is bound to it
     */
    @Override
    public void close() {
        if (life.close(ops::close)) {
            pd.destroyed(ObjectKind.MEMORY_REGION);
        }
    }

    @Override
    public String toString() {
        return life.name();
    }
}
