package io.rdma4j.verbs;

import io.rdma4j.base.Errno;
import io.rdma4j.base.RdmaException;
import io.rdma4j.verbs.spi.MrOps;
import java.lang.foreign.MemorySegment;
import java.util.Objects;
import java.util.Set;

/**
 * Memory that the device may use. Answers to {@code struct ibv_mr}.
 *
 * <p>Keeps the memory reachable, but not its arena open: close the region first. Any thread may call. The caller of
 * {@link ProtectionDomain#registerMemory} closes it, after the work requests that use it have completed.
 */
public final class MemoryRegion implements AutoCloseable {
    private final MrOps ops;
    private final Lifecycle life;
    private volatile Registration registration;

    private record Registration(ProtectionDomain pd, MemorySegment segment, long iova, Set<AccessFlag> access) {}

    MemoryRegion(ProtectionDomain pd, MemorySegment segment, long iova, Set<AccessFlag> access, MrOps ops) {
        this.registration = new Registration(pd, segment, iova, Set.copyOf(access));
        this.ops = ops;
        this.life = new Lifecycle(String.format("%s 0x%08x", ObjectKind.MEMORY_REGION, ops.lkey()));
    }

    /** The protection domain it belongs to. */
    public ProtectionDomain protectionDomain() {
        return registration.pd();
    }

    /** The memory itself. */
    public MemorySegment segment() {
        return registration.segment();
    }

    /** Where the memory lies in the JVM's address space. Answers to {@code addr}. */
    public long address() {
        return registration.segment().address();
    }

    /** What work requests call its first byte; the same as {@link #address} unless asked otherwise. */
    public long iova() {
        return registration.iova();
    }

    /** Bytes. Answers to {@code length}. */
    public long lengthBytes() {
        return registration.segment().byteSize();
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
        return registration.access();
    }

    /** A checked part of it; see {@link Sge#of(MemoryRegion, long, int)}. */
    public Sge sge(long offset, int length) {
        return Sge.of(this, offset, length);
    }

    /**
     * Changes the registration, as if it were ended and made anew, but cheaper. Answers to {@code ibv_rereg_mr}; on a refusal
     * nothing has changed. No work request may use the region meanwhile.
     *
     * @throws RdmaException EINVAL if nothing is to change, for memory or rights that
     *     {@link ProtectionDomain#registerMemory(MemorySegment, long, Set)} would refuse, for a domain of another context;
     *     EBUSY while a memory window is bound to it; EOPNOTSUPP if the device cannot
     */
    public synchronized void reregister(Reregistration change) {
        life.checkOpen();
        if (change.isEmpty()) {
            throw new RdmaException(Errno.EINVAL, "nothing is to change in " + this);
        }
        Registration now = registration;
        Registration next = checked(now, change);
        if (next.pd() != now.pd()) {
            next.pd().life().acquire(ObjectKind.MEMORY_REGION);
        }
        try {
            ops.reregister(next.pd().ops(), next.segment(), next.iova(), next.access());
        } catch (RuntimeException e) {
            if (next.pd() != now.pd()) {
                next.pd().life().release(ObjectKind.MEMORY_REGION);
            }
            throw e;
        }
        if (next.pd() != now.pd()) {
            now.pd().life().release(ObjectKind.MEMORY_REGION);
        }
        registration = next;
    }

    private static Registration checked(Registration now, Reregistration change) {
        Context context = now.pd().context();
        MemorySegment segment = Objects.requireNonNullElse(change.segment(), now.segment());
        long iova = change.segment() == null ? now.iova() : change.iova();
        if (change.segment() != null) {
            MemoryCheck.segment(segment, context.queryDevice().limit(DeviceLimit.MAX_MR_SIZE));
            MemoryCheck.iova(segment, iova);
        }
        Set<AccessFlag> access = Objects.requireNonNullElse(change.access(), now.access());
        MemoryCheck.access(segment, access);
        ProtectionDomain pd = Objects.requireNonNullElse(change.domain(), now.pd());
        context.checkSame(pd.context(), pd);
        return new Registration(pd, segment, iova, access);
    }

    void checkOpen() {
        life.checkOpen();
    }

    /**
     * Ends the registration: the device does not touch the memory any more. Idempotent. Answers to {@code ibv_dereg_mr}.
     *
     * @throws RdmaException EBUSY while a memory window is bound to it
     */
    @Override
    public synchronized void close() {
        if (life.close(ops::close)) {
            protectionDomain().destroyed(ObjectKind.MEMORY_REGION);
        }
    }

    @Override
    public String toString() {
        return life.name();
    }
}
