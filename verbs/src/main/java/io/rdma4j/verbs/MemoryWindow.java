// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.verbs;

import io.rdma4j.base.Errno;
import io.rdma4j.base.RdmaException;
import io.rdma4j.verbs.core.Arguments;
import io.rdma4j.verbs.core.Lifecycle;
import io.rdma4j.verbs.core.ObjectKind;
import io.rdma4j.verbs.spi.MwOps;
import io.rdma4j.verbs.values.MemoryKeys;
import io.rdma4j.verbs.wr.SendBatch;
import io.rdma4j.verbs.wr.SendFlag;
import io.rdma4j.verbs.wr.WindowType;
import java.util.EnumSet;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Gives a peer access to a part of a memory region, with a separate key and separate rights. Binding and unbinding are
 * cheaper than registration. Corresponds to {@code struct ibv_mw}.
 *
 * <p>Any thread. The caller of {@link ProtectionDomain#allocateWindow} closes the window. While it is bound, its region
 * cannot be closed.
 *
 * {@snippet :
 * try (MemoryWindow window = pd.allocateWindow(WindowType.TYPE_1)) {
 *     WindowBinding part = WindowBinding.of(mr, mr.iova() + 4096, 4096, Set.of(AccessFlag.REMOTE_WRITE));
 *     int rkey = window.bind(qp, 1, Set.of(SendFlag.SIGNALED), part);   // valid for the peer after completion
 *     window.bind(qp, 2, Set.of(SendFlag.SIGNALED), WindowBinding.none());   // later: unbinds it
 * }
 * }
 */
public final class MemoryWindow implements SendBatch.Window, AutoCloseable {
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

    /** {@return the protection domain of the window} Corresponds to {@code pd}. */
    public ProtectionDomain protectionDomain() {
        return pd;
    }

    /** {@return the type of the window} Corresponds to {@code type}. */
    public WindowType type() {
        return type;
    }

    /** {@return the number of the window in work requests: 32 bits} Corresponds to {@code handle}. */
    @Override
    public int handle() {
        return ops.handle();
    }

    /**
     * {@return the key for the peer: 32 bits} This is the key of the allocation or of the last {@link #bind}. With type
     * 2 the application chooses later keys, see {@link MemoryKeys#next}.
     */
    public int rkey() {
        return rkey.get();
    }

    /**
     * Posts a bind request for a window of type 1. When the call returns, {@link #rkey} is the new key. The key is
     * valid after the request has completed, which may fail with {@link io.rdma4j.verbs.wr.WcStatus#MW_BIND_ERR}.
     * Corresponds to {@code ibv_bind_mw}.
     *
     * @param qp RC or UC queue pair of the same protection domain
     * @param wrId {@code wr_id} of the request
     * @param flags FENCE and SIGNALED
     * @param binding memory and rights of the window
     * @return the new key
     * @throws RdmaException EINVAL for a window of type 2, other flags, rights that windows do not support or the
     *     region does not have, a range outside the region, objects of another protection domain, or a queue pair of
     *     another transport or in a wrong state; ENOMEM if the send queue is full
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

    /** Checks a binding before the request is written to the ring. */
    void check(QueuePair qp, WindowBinding binding) {
        life.checkOpen();
        if (qp.protectionDomain() != pd) {
            throw new RdmaException(Errno.EINVAL, this + " and " + qp + " are of different protection domains");
        }
        binding.check(this);
    }

    /** Frees the window, which is unbound first if necessary. Idempotent. Corresponds to {@code ibv_dealloc_mw}. */
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
