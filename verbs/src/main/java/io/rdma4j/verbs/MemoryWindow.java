package io.rdma4j.verbs;

import io.rdma4j.base.Errno;
import io.rdma4j.base.RdmaException;
import io.rdma4j.verbs.spi.MwOps;
import java.util.EnumSet;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * A part of a memory region with a key and rights of its own, cheap to give and to take back. Answers to
 * {@code struct ibv_mw}.
 *
 * <p>Any thread may call. The caller of {@link ProtectionDomain#allocateWindow} closes it. While it is bound, its region
 * cannot be closed.
 *
 * {@snippet :
 * try (MemoryWindow window = pd.allocateWindow(WindowType.TYPE_1)) {
 *     WindowBinding part = WindowBinding.of(mr, mr.iova() + 4096, 4096, Set.of(AccessFlag.REMOTE_WRITE));
 *     int rkey = window.bind(qp, 1, Set.of(SendFlag.SIGNALED), part);   // for the peer, once that has completed
 *     window.bind(qp, 2, Set.of(SendFlag.SIGNALED), WindowBinding.none());   // later: taken back
 * }
 * }
 */
public final class MemoryWindow implements AutoCloseable {
    private static final Set<SendFlag> BIND_FLAGS = EnumSet.of(SendFlag.FENCE, SendFlag.SIGNALED);

    private final ProtectionDomain pd;
    private final WindowType type;
    private final MwOps ops;
    private final AtomicInteger rkey;
    private final Lifecycle life;

    MemoryWindow(ProtectionDomain pd, WindowType type, MwOps ops) {
        this.pd = pd;
        this.type = type;
        this.ops = ops;
        this.rkey = new AtomicInteger(ops.rkey());
        this.life = new Lifecycle(String.format("%s 0x%08x", ObjectKind.MEMORY_WINDOW, ops.rkey()), pd.life());
    }

    /** {@return the protection domain it belongs to} Answers to {@code pd}. */
    public ProtectionDomain protectionDomain() {
        return pd;
    }

    /** {@return how it is bound} Answers to {@code type}. */
    public WindowType type() {
        return type;
    }

    /** {@return what work requests name it by: 32 bits} Answers to {@code handle}. */
    public int handle() {
        return ops.handle();
    }

    /**
     * {@return the key to give to the peer: 32 bits} That of the allocation, or of the last {@link #bind}; with type 2
     * the program chooses further keys itself, see {@link MemoryKeys#next}.
     */
    public int rkey() {
        return rkey.get();
    }

    /**
     * Posts the binding of a window of type 1. Answers to {@code ibv_bind_mw}: when it returns, {@link #rkey} is the new key,
     * which is good once the request has completed. It may still complete with {@link WcStatus#MW_BIND_ERR}.
     *
     * @param qp of the same protection domain; RC or UC
     * @param wrId {@code wr_id} of the request
     * @param flags FENCE and SIGNALED
     * @param binding what it shall show
     * @return the new key
     * @throws RdmaException EINVAL for a window of type 2, other flags, rights that windows do not have or the region does
     *     not give, a range outside the region, objects of another protection domain, a wrong state or transport of the
     *     queue pair; ENOMEM if its send queue is full
     */
    public int bind(QueuePair qp, long wrId, Set<SendFlag> flags, WindowBinding binding) {
        life.checkUsable();
        Arguments.present("qp", qp);
        Arguments.present("flags", flags);
        Arguments.present("binding", binding);
        if (type != WindowType.TYPE_1) {
            throw new RdmaException(Errno.EINVAL, this + " is of type 2: bind it by a work request");
        }
        if (!BIND_FLAGS.containsAll(flags)) {
            throw new RdmaException(Errno.EINVAL, "flags " + flags + ": a bind takes only " + BIND_FLAGS);
        }
        check(qp, binding);
        synchronized (rkey) {
            int next = MemoryKeys.next(rkey.get());
            qp.post(SendRequest.bindUnchecked(this, next, binding)
                    .wrId(wrId)
                    .flags(flags)
                    .build());
            rkey.set(next);
            return next;
        }
    }

    /** What a post of a binding checks before the device does. */
    void check(QueuePair qp, WindowBinding binding) {
        life.checkOpen();
        if (qp.protectionDomain() != pd) {
            throw new RdmaException(Errno.EINVAL, this + " and " + qp + " are of different protection domains");
        }
        binding.check(this);
    }

    /** Frees it; a window that is bound is unbound first. Idempotent. Answers to {@code ibv_dealloc_mw}. */
    @Override
    public void close() {
        if (life.close(ops::close)) {
            pd.destroyed(ObjectKind.MEMORY_WINDOW, this);
        }
    }

    @Override
    public String toString() {
        return life.name();
    }
}
