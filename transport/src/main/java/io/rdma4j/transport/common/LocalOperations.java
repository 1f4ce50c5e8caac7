// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.transport.common;

import io.rdma4j.transport.memory.KeyTable;
import io.rdma4j.transport.memory.MemoryKey;
import io.rdma4j.transport.memory.RegionKey;
import io.rdma4j.transport.memory.WindowKey;
import io.rdma4j.verbs.spi.ring.RingMemory;
import io.rdma4j.verbs.spi.ring.SendHeader;
import io.rdma4j.verbs.spi.ring.SendOperands;
import io.rdma4j.verbs.values.AccessFlag;

/**
 * Executes the work requests that send no packet, and invalidates keys (IBA 10.6.4, 10.6.7.2, 11.4.3.1). Corresponds to
 * {@code rxe_do_local_ops}, {@code rxe_bind_mw}, {@code rxe_reg_fast_mr}.
 *
 * <p>All methods return false for a request that cannot be executed; nothing has changed then.
 */
public final class LocalOperations {
    private static final int WRITES = AccessFlag.REMOTE_WRITE.bit() | AccessFlag.REMOTE_ATOMIC.bit();
    private static final int ZERO_BASED = AccessFlag.ZERO_BASED.bit();
    private static final int WINDOW_RIGHTS = WRITES | AccessFlag.REMOTE_READ.bit() | ZERO_BASED;

    private final KeyTable keys;
    private final Object protectionDomain;
    private final Object queuePair;

    public LocalOperations(KeyTable keys, Object protectionDomain, Object queuePair) {
        this.keys = keys;
        this.protectionDomain = protectionDomain;
        this.queuePair = queuePair;
    }

    /** Executes the request in an element of {@code wqes}. */
    public boolean execute(WireOperation operation, RingMemory wqes, SendHeader request) {
        return switch (operation) {
            case LOCAL_INV -> invalidate(request.immediate(), protectionDomain);
            case REG_MR -> register(wqes, request.wqe());
            case BIND_MW -> bind(wqes, request.wqe());
            default -> throw new IllegalStateException(operation + " is no local operation");
        };
    }

    /**
     * Invalidates a key: that of a fast-registered region without windows, or of a window of type 2 that is bound to
     * this queue pair. A region may be invalid already, a window may not.
     *
     * @param domain the protection domain whose keys the request may name
     */
    public boolean invalidate(int key, Object domain) {
        MemoryKey entry = keys.at(key);
        if (entry == null || !entry.isNamed(key, domain)) {
            return false;
        }
        return switch (entry) {
            case RegionKey region -> {
                boolean allowed = region.isFast() && !region.hasWindows();
                if (allowed) {
                    region.shut();
                }
                yield allowed;
            }
            case WindowKey window -> {
                boolean allowed = window.isTypeTwo() && window.isValid() && window.isOpenTo(queuePair);
                if (allowed) {
                    window.unbind();
                }
                yield allowed;
            }
        };
    }

    @SuppressWarnings("ReferenceEquality") // protection domains are compared by identity
    private boolean register(RingMemory wqes, long wqe) {
        int handle = SendOperands.objectHandle(wqes, wqe);
        int key = SendOperands.newKey(wqes, wqe);
        if (!(keys.at(handle) instanceof RegionKey region)) {
            return false;
        }
        int access = SendOperands.access(wqes, wqe);
        boolean writes = (access & (WRITES | AccessFlag.LOCAL_WRITE.bit())) != 0;
        boolean allowed = region.isFast()
                && !region.isValid()
                && !(writes && region.isMappedReadOnly())
                && region.protectionDomain() == protectionDomain
                && region.handle() == (key & ~MemoryKey.VARIANT_MASK)
                && region.mappedBytes() > 0
                && region.mappedBytes() == SendOperands.rangeLength(wqes, wqe);
        if (allowed) {
            region.open(SendOperands.address(wqes, wqe), key, access);
        }
        return allowed;
    }

    @SuppressWarnings("ReferenceEquality") // protection domains are compared by identity
    private boolean bind(RingMemory wqes, long wqe) {
        int access = SendOperands.access(wqes, wqe);
        int key = SendOperands.newKey(wqes, wqe);
        long length = SendOperands.rangeLength(wqes, wqe);
        boolean known = keys.at(SendOperands.objectHandle(wqes, wqe)) instanceof WindowKey window
                && window.protectionDomain() == protectionDomain
                && window.handle() == (key & ~MemoryKey.VARIANT_MASK)
                && (access & ~WINDOW_RIGHTS) == 0;
        if (!known || !(keys.at(key) instanceof WindowKey window)) {
            return false;
        }
        if (window.isTypeTwo() && (window.isValid() || length == 0 || window.key() == key)) {
            // A window of type 2 must be unbound, cannot be unbound by length 0, and gets another key (IBA 10.6.7.2.4).
            return false;
        }
        if (length == 0) {
            window.bind(null, 0, 0, false, queuePair);
            window.validate(key, access);
            return true;
        }
        long address = SendOperands.address(wqes, wqe);
        RegionKey region = keys.lookup(protectionDomain, SendOperands.regionKey(wqes, wqe), AccessFlag.MW_BIND.bit());
        boolean allowed = region != null
                && region.contains(address, length)
                && ((access & WRITES) == 0 || region.hasAccess(AccessFlag.LOCAL_WRITE.bit()));
        if (allowed) {
            window.bind(region, address, length, (access & ZERO_BASED) != 0, queuePair);
            window.validate(key, access);
        }
        return allowed;
    }
}
