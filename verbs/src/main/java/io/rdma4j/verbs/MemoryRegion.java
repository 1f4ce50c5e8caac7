// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.verbs;

import io.rdma4j.base.Errno;
import io.rdma4j.base.RdmaException;
import io.rdma4j.verbs.core.Arguments;
import io.rdma4j.verbs.core.BackingPages;
import io.rdma4j.verbs.core.Lifecycle;
import io.rdma4j.verbs.core.ObjectKind;
import io.rdma4j.verbs.spi.MrOps;
import io.rdma4j.verbs.values.AccessFlag;
import io.rdma4j.verbs.values.MrInitAttributes;
import io.rdma4j.verbs.values.MrType;
import io.rdma4j.verbs.wr.SendBatch;
import io.rdma4j.verbs.wr.Sge;
import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.Objects;
import java.util.OptionalLong;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Memory that is registered for access by the device. Corresponds to {@code struct ibv_mr}.
 *
 * <p>The region keeps the memory reachable, but does not keep its arena open: close the region before the arena. Any
 * thread. The caller of {@link ProtectionDomain#registerMemory} or {@link ProtectionDomain#allocateMemory} closes the
 * region, after the work requests that use it have completed.
 *
 * {@snippet :
 * try (MemoryRegion mr = pd.allocateMemory(8192, Set.of(AccessFlag.LOCAL_WRITE, AccessFlag.REMOTE_READ))) {
 *     mr.segment().setString(0, "for the peer to read");
 *     toPeer.writeLong(mr.iova());   // the peer's RDMA READ needs the address and the key
 *     toPeer.writeInt(mr.rkey());
 *     qp.postReceive(ReceiveRequest.of(1, mr.sge(4096, 4096)));   // receives the peer's message in the upper half
 * }
 * }
 */
public final class MemoryRegion implements SendBatch.Region, AutoCloseable {
    private final MrOps ops;
    private final MrType type;
    private final @Nullable Runnable ended;
    private final Lifecycle life;
    private volatile Registration registration;

    /** @param memory has no segments if the region consists of device memory or of DMA mappings */
    private record Registration(ProtectionDomain pd, MrInitAttributes memory, long lengthBytes) {}

    /** A region of the application's memory; {@code ended} is called after it is closed. */
    MemoryRegion(ProtectionDomain pd, MrInitAttributes attributes, @Nullable Runnable ended, MrOps ops) {
        this(MrType.USER, new Registration(pd, attributes, attributes.lengthBytes()), ended, ops);
    }

    /** A region of {@code lengthBytes} of device memory; {@code ended} is called after it is closed. */
    MemoryRegion(ProtectionDomain pd, long lengthBytes, Set<AccessFlag> access, Runnable ended, MrOps ops) {
        this(MrType.DM, new Registration(pd, new MrInitAttributes(List.of(), 0, access), lengthBytes), ended, ops);
    }

    /** A region of all DMA mappings. */
    MemoryRegion(ProtectionDomain pd, Set<AccessFlag> access, MrOps ops) {
        this(MrType.DMA, new Registration(pd, new MrInitAttributes(List.of(), 0, access), Long.MAX_VALUE), null, ops);
    }

    private MemoryRegion(MrType type, Registration registration, @Nullable Runnable ended, MrOps ops) {
        this.type = type;
        this.registration = registration;
        this.ended = ended;
        this.ops = ops;
        this.life = new Lifecycle(
                String.format("%s 0x%08x", ObjectKind.MEMORY_REGION, ops.lkey()),
                registration.pd().life());
    }

    /** {@return the protection domain of the region} Corresponds to {@code pd}. */
    public ProtectionDomain protectionDomain() {
        return registration.pd();
    }

    /** {@return the kind of memory; never {@link MrType#MEM_REG}} */
    public MrType type() {
        return type;
    }

    /** {@return the segments of the region, in order; empty unless the type is {@link MrType#USER}} */
    public List<MemorySegment> pieces() {
        return registration.memory().pieces();
    }

    /**
     * {@return the only segment of the region}
     *
     * @throws RdmaException EINVAL if the region does not have exactly one segment
     */
    public MemorySegment segment() {
        List<MemorySegment> pieces = pieces();
        if (pieces.size() != 1) {
            throw new RdmaException(Errno.EINVAL, this + " has " + pieces.size() + " pieces of memory, not one");
        }
        return pieces.getFirst();
    }

    /**
     * {@return the address of the first byte in the address space of the JVM; 0 unless the type is {@link MrType#USER}}
     * Corresponds to {@code addr}.
     */
    public long address() {
        List<MemorySegment> pieces = pieces();
        return pieces.isEmpty() ? 0 : pieces.getFirst().address();
    }

    /**
     * {@return the address of the first byte in work requests} It equals {@link #address} unless the registration
     * specified a different address. Corresponds to {@code iova} of {@code struct ib_mr}.
     */
    public long iova() {
        return registration.memory().iova();
    }

    /** {@return the length in bytes} Corresponds to {@code length}. */
    public long lengthBytes() {
        return registration.lengthBytes();
    }

    /** {@return the key for scatter/gather elements: 32 bits} Corresponds to {@code lkey}. */
    @Override
    public int lkey() {
        return ops.lkey();
    }

    /** {@return the key for the peer: 32 bits} Corresponds to {@code rkey}. */
    public int rkey() {
        return ops.rkey();
    }

    /** {@return the access rights, without optional rights that the device does not support} */
    public Set<AccessFlag> access() {
        return registration.memory().access();
    }

    /**
     * {@return all attributes of the region, read at the same moment} Corresponds to {@code ib_query_mr}.
     *
     * @throws RdmaException EINVAL if the region is closed
     */
    public synchronized MrAttributes query() {
        life.checkOpen();
        return new MrAttributes(protectionDomain(), iova(), lengthBytes(), access(), lkey(), rkey());
    }

    /**
     * {@return the size in bytes of the smallest page behind the memory; empty if the system does not report it, and
     * for device memory} Slow, because the call reads {@code /proc/self/smaps}. libibverbs determines the value for
     * every region if {@code RDMAV_HUGEPAGES_SAFE} is set.
     */
    public OptionalLong backingPageBytes() {
        return BackingPages.smallest(pieces());
    }

    /**
     * {@return a scatter/gather element for a part of the region}
     *
     * @param offset offset in the region, in bytes
     * @param length length in bytes
     * @throws RdmaException EINVAL if the part exceeds the region or the region is closed
     */
    public Sge sge(long offset, int length) {
        life.checkOpen();
        Arguments.within(this, offset, length, lengthBytes());
        return new Sge(iova() + offset, length, lkey());
    }

    /**
     * {@return a scatter/gather element for the whole region}
     *
     * @throws RdmaException EINVAL if the region is longer than 2^31 - 1 bytes or closed
     */
    public Sge sge() {
        long bytes = lengthBytes();
        if (bytes > Integer.MAX_VALUE) {
            throw new RdmaException(
                    Errno.EINVAL,
                    this + " has " + bytes + " bytes, an sge at most " + Integer.MAX_VALUE + "; use several");
        }
        return sge(0, (int) bytes);
    }

    /**
     * Changes the registration, at a lower cost than closing the region and registering again. The keys change if the
     * memory or its {@link #iova} does, so that a peer cannot reach other memory with a key that it has. No work
     * request may use the region during the call. If the call throws, the registration is unchanged. Corresponds to
     * {@code ibv_rereg_mr} and {@code ib_rereg_phys_mr}.
     *
     * @param change new values
     * @throws RdmaException EINVAL if {@code change} is empty, for memory or rights that
     *     {@link ProtectionDomain#registerMemory(MrInitAttributes)} rejects, for a domain of another context; EBUSY
     *     while a memory window is bound to the region; EOPNOTSUPP if the device does not support it, or the type is
     *     not {@link MrType#USER}
     */
    public synchronized void reregister(Reregistration change) {
        Arguments.present("change", change);
        life.checkUsable();
        if (change.isEmpty()) {
            throw new RdmaException(Errno.EINVAL, "nothing is to change in " + this);
        }
        if (type != MrType.USER) {
            throw new RdmaException(
                    Errno.EOPNOTSUPP, this + " is of type " + type + ": its registration cannot change");
        }
        Registration now = registration;
        Registration next = checked(now, change);
        if (next.pd() != now.pd()) {
            next.pd().life().acquire(ObjectKind.MEMORY_REGION);
        }
        try {
            ops.reregister(next.pd().ops(), next.memory());
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
        ProtectionDomain pd = Objects.requireNonNullElse(change.domain(), now.pd());
        now.pd().context().checkSame(pd.context(), pd);
        List<MemorySegment> pieces =
                Objects.requireNonNullElse(change.pieces(), now.memory().pieces());
        long iova = change.pieces() == null ? now.memory().iova() : change.iova();
        Set<AccessFlag> access =
                Objects.requireNonNullElse(change.access(), now.memory().access());
        MrInitAttributes memory = pd.checked(new MrInitAttributes(pieces, iova, access));
        return new Registration(pd, memory, memory.lengthBytes());
    }

    void checkOpen() {
        life.checkOpen();
    }

    /**
     * Deregisters the memory. The device does not access it afterwards. Idempotent. Corresponds to
     * {@code ibv_dereg_mr}.
     *
     * @throws RdmaException EBUSY while a memory window is bound to the region
     */
    @Override
    public synchronized void close() {
        if (life.close(ops::close)) {
            protectionDomain().destroyed(ObjectKind.MEMORY_REGION, this);
            if (ended != null) {
                ended.run();
            }
        }
    }

    @Override
    public String toString() {
        return life.name();
    }
}
