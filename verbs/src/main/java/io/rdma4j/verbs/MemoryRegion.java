package io.rdma4j.verbs;

import io.rdma4j.base.Errno;
import io.rdma4j.base.RdmaException;
import io.rdma4j.verbs.spi.MrOps;
import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.Objects;
import java.util.OptionalLong;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Memory that the device may use. Answers to {@code struct ibv_mr}.
 *
 * <p>Keeps the memory reachable, but not its arena open: close the region first. Any thread may call. The caller of
 * {@link ProtectionDomain#registerMemory} or
 * {@link ProtectionDomain#allocateMemory} closes it, after the work requests that use it have completed.
 *
 * {@snippet :
 * try (MemoryRegion mr = pd.allocateMemory(8192, Set.of(AccessFlag.LOCAL_WRITE, AccessFlag.REMOTE_READ))) {
 *     mr.segment().setString(0, "for the peer to read");
 *     toPeer.writeLong(mr.iova());   // both are what its RDMA READ takes
 *     toPeer.writeInt(mr.rkey());
 *     qp.postReceive(ReceiveRequest.of(1, mr.sge(4096, 4096)));   // the upper half takes its message
 * }
 * }
 */
public final class MemoryRegion implements AutoCloseable {
    private final MrOps ops;
    private final MrType type;
    private final @Nullable Runnable ended;
    private final Lifecycle life;
    private volatile Registration registration;

    /** @param memory without pieces if it is the device's, or whatever is mapped for it */
    private record Registration(ProtectionDomain pd, MrInitAttributes memory, long lengthBytes) {}

    /** A region of the program's own memory; {@code ended} is called once it is closed. */
    MemoryRegion(ProtectionDomain pd, MrInitAttributes attributes, @Nullable Runnable ended, MrOps ops) {
        this(MrType.USER, new Registration(pd, attributes, attributes.lengthBytes()), ended, ops);
    }

    /** A region of {@code lengthBytes} of the device's memory; {@code ended} is called once it is closed. */
    MemoryRegion(ProtectionDomain pd, long lengthBytes, Set<AccessFlag> access, Runnable ended, MrOps ops) {
        this(MrType.DM, new Registration(pd, new MrInitAttributes(List.of(), 0, access), lengthBytes), ended, ops);
    }

    /** A region of all that is mapped. */
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

    /** {@return the protection domain it belongs to} Answers to {@code pd}. */
    public ProtectionDomain protectionDomain() {
        return registration.pd();
    }

    /** {@return what it is made of; never {@link MrType#MEM_REG}} */
    public MrType type() {
        return type;
    }

    /** {@return the memory itself, one piece after another; none unless the type is {@link MrType#USER}} */
    public List<MemorySegment> pieces() {
        return registration.memory().pieces();
    }

    /**
     * {@return the memory itself}
     *
     * @throws RdmaException EINVAL if there is not exactly one piece of it
     */
    public MemorySegment segment() {
        List<MemorySegment> pieces = pieces();
        if (pieces.size() != 1) {
            throw new RdmaException(Errno.EINVAL, this + " has " + pieces.size() + " pieces of memory, not one");
        }
        return pieces.getFirst();
    }

    /**
     * {@return where its first byte lies in the JVM's address space; 0 unless the type is {@link MrType#USER}} Answers
     * to {@code addr}.
     */
    public long address() {
        List<MemorySegment> pieces = pieces();
        return pieces.isEmpty() ? 0 : pieces.getFirst().address();
    }

    /**
     * {@return what work requests call its first byte; the same as {@link #address} unless asked otherwise} Answers to
     * {@code iova} of {@code struct ib_mr}.
     */
    public long iova() {
        return registration.memory().iova();
    }

    /** {@return its bytes} Answers to {@code length}. */
    public long lengthBytes() {
        return registration.lengthBytes();
    }

    /** {@return key for scatter/gather elements: 32 bits} Answers to {@code lkey}. */
    public int lkey() {
        return ops.lkey();
    }

    /** {@return key to give to the peer: 32 bits} Answers to {@code rkey}. */
    public int rkey() {
        return ops.rkey();
    }

    /** {@return what it was registered for, without optional rights that the device knows nothing of} */
    public Set<AccessFlag> access() {
        return registration.memory().access();
    }

    /**
     * {@return all that there is to know, of one moment} Answers to {@code ib_query_mr}.
     *
     * @throws RdmaException EINVAL if it is closed
     */
    public synchronized MrAttributes query() {
        life.checkOpen();
        return new MrAttributes(protectionDomain(), iova(), lengthBytes(), access(), lkey(), rkey());
    }

    /**
     * {@return bytes of the smallest page that its memory lies on, as the system tells; empty if it does not, and for
     * memory of the device} Slow. What libibverbs finds out of every region if {@code RDMAV_HUGEPAGES_SAFE} is set.
     */
    public OptionalLong backingPageBytes() {
        return BackingPages.smallest(pieces());
    }

    /**
     * {@return a checked part of it; see {@link Sge#of(MemoryRegion, long, int)}}
     *
     * @param offset bytes from its start
     * @param length bytes
     */
    public Sge sge(long offset, int length) {
        return Sge.of(this, offset, length);
    }

    /**
     * Changes the registration, as if it were ended and made anew, but cheaper. Answers to {@code ibv_rereg_mr} and
     * {@code ib_rereg_phys_mr}; on a refusal nothing has changed. The keys may be others afterwards. No work request may use
     * the region meanwhile.
     *
     * @param change what shall be different
     * @throws RdmaException EINVAL if nothing is to change, for memory or rights that
     *     {@link ProtectionDomain#registerMemory(MrInitAttributes)} would refuse, for a domain of another context; EBUSY
     *     while a memory window is bound to it; EOPNOTSUPP if the device cannot, or the type is another than
     *     {@link MrType#USER}
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
     * Ends the registration: the device does not touch the memory any more. Idempotent. Answers to {@code ibv_dereg_mr}.
     *
     * @throws RdmaException EBUSY while a memory window is bound to it
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
