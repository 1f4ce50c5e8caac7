// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.verbs;

import io.rdma4j.base.Errno;
import io.rdma4j.base.RdmaException;
import io.rdma4j.verbs.values.AccessFlag;
import java.util.EnumSet;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The memory and the rights of a memory window. Corresponds to {@code struct ibv_mw_bind_info}.
 *
 * @param region {@code mr}: the underlying memory region, registered with {@link AccessFlag#MW_BIND}; null only if
 *     {@code length} is 0
 * @param address {@code addr}: start of the window in the region's address space
 * @param length {@code length}: bytes, unsigned; 0 unbinds the window
 * @param access {@code mw_access_flags}: REMOTE_WRITE, REMOTE_READ, REMOTE_ATOMIC; with ZERO_BASED the window's
 *     addresses start at 0
 */
public record WindowBinding(@Nullable MemoryRegion region, long address, long length, Set<AccessFlag> access) {
    private static final Set<AccessFlag> ALLOWED = EnumSet.of(
            AccessFlag.REMOTE_WRITE, AccessFlag.REMOTE_READ, AccessFlag.REMOTE_ATOMIC, AccessFlag.ZERO_BASED);

    /** Copies the set. */
    public WindowBinding {
        access = Set.copyOf(access);
    }

    /**
     * {@return a binding to a part of a region}
     *
     * @param region the underlying memory region, registered with {@link AccessFlag#MW_BIND}
     * @param address start of the window in the region's address space
     * @param length bytes, unsigned
     * @param access remote rights and ZERO_BASED
     */
    public static WindowBinding of(MemoryRegion region, long address, long length, Set<AccessFlag> access) {
        return new WindowBinding(region, address, length, access);
    }

    /** {@return a binding without memory, which unbinds the window: its key gives no access any more} */
    public static WindowBinding none() {
        return new WindowBinding(null, 0, 0, Set.of());
    }

    /**
     * Checks the binding as far as possible without the device (IBA 10.6.7.2.1).
     *
     * @param window the window to bind
     * @throws RdmaException EINVAL for rights that windows do not have or the region does not give, a range outside the
     *     region, a region that is closed or of another protection domain
     */
    void check(MemoryWindow window) {
        for (AccessFlag flag : access) {
            if (!ALLOWED.contains(flag)) {
                throw invalid(window, flag + " is no right of a window, only " + ALLOWED);
            }
        }
        if (region != null) {
            checkRegion(window, region);
        } else if (length != 0) {
            throw invalid(window, Long.toUnsignedString(length) + " bytes need a memory region");
        }
    }

    private void checkRegion(MemoryWindow window, MemoryRegion below) {
        below.checkOpen();
        if (below.protectionDomain() != window.protectionDomain()) {
            throw invalid(window, below + " is of another protection domain");
        }
        if (!below.access().contains(AccessFlag.MW_BIND)) {
            throw invalid(window, below + " was registered without MW_BIND");
        }
        boolean writes = access.contains(AccessFlag.REMOTE_WRITE) || access.contains(AccessFlag.REMOTE_ATOMIC);
        if (writes && !below.access().contains(AccessFlag.LOCAL_WRITE)) {
            throw invalid(window, access + " need LOCAL_WRITE of " + below);
        }
        long size = below.lengthBytes();
        long offset = address - below.iova();
        if (length != 0 && (offset < 0 || length < 0 || length > size || offset > size - length)) {
            throw invalid(
                    window,
                    String.format(
                            "%s bytes at 0x%x do not lie in %s of %d bytes at 0x%x",
                            Long.toUnsignedString(length), address, below, size, below.iova()));
        }
    }

    private static RdmaException invalid(MemoryWindow window, String message) {
        return new RdmaException(Errno.EINVAL, "cannot bind " + window + ": " + message);
    }
}
