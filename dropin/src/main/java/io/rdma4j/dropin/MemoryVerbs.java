// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.dropin;

import io.rdma4j.base.Errno;
import io.rdma4j.base.RdmaException;
import io.rdma4j.verbs.Context;
import io.rdma4j.verbs.DeviceMemory;
import io.rdma4j.verbs.MemoryRegion;
import io.rdma4j.verbs.MemoryWindow;
import io.rdma4j.verbs.ProtectionDomain;
import io.rdma4j.verbs.Reregistration;
import io.rdma4j.verbs.WindowBinding;
import io.rdma4j.verbs.values.AccessFlag;
import io.rdma4j.verbs.values.Flags;
import io.rdma4j.verbs.values.MrInitAttributes;
import io.rdma4j.verbs.wr.SendFlag;
import io.rdma4j.verbs.wr.WindowType;
import java.lang.foreign.MemorySegment;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Protection domains, memory regions, memory windows, device memory. */
final class MemoryVerbs {
    private static final int REREG_TRANSLATION = 1;
    private static final int REREG_PD = 2;
    private static final int REREG_ACCESS = 4;

    /** The rights of a window. Programs also set that of local writes, which adapters ignore. */
    static final int WINDOW_ACCESS = AccessFlag.mask(
            Set.of(AccessFlag.REMOTE_WRITE, AccessFlag.REMOTE_READ, AccessFlag.REMOTE_ATOMIC, AccessFlag.ZERO_BASED));

    /** Adapters demand this alignment of offsets and lengths in device memory, in bytes. */
    private static final int DM_ALIGNMENT = 4;

    private static final int IMPORTED_PD = 0;
    private static final int IMPORTED_MR = 1;
    private static final int SGE_BYTES = 16;

    private MemoryVerbs() {}

    static int allocatePd(CallArguments a) {
        Context context = a.object(0, Context.class);
        return ObjectTable.add(context.allocatePd(), context);
    }

    /**
     * Checks the handle of an object that another C context has created, writes what C does not know of the object, and
     * returns the handle.
     */
    static int importObject(CallArguments a) {
        Context context = a.object(0, Context.class);
        Context owner = switch (a.small(1)) {
            case IMPORTED_PD -> a.object(2, ProtectionDomain.class).context();
            case IMPORTED_MR -> {
                MemoryRegion region = a.object(2, MemoryRegion.class);
                CMemory.putLong(a.number(3) + 24, region.lengthBytes());
                putKeys(a.number(3), region);
                yield region.protectionDomain().context();
            }
            default -> a.object(2, DeviceMemory.class).context();
        };
        if (!owner.equals(context)) {
            throw new RdmaException(Errno.EINVAL, "handle " + a.small(2) + " is one of " + owner);
        }
        return a.small(2);
    }

    /** {@code ibv_advise_mr}: checks a list of {@code struct ibv_sge}; C faults the pages in. */
    static int advise(CallArguments a) {
        ProtectionDomain pd = a.object(0, ProtectionDomain.class);
        long sge = a.number(1);
        for (int i = 0; i < a.small(2); i++, sge += SGE_BYTES) {
            int lkey = CMemory.getInt(sge + 12);
            MemoryRegion region = ObjectTable.all(MemoryRegion.class).stream()
                    .filter(candidate -> candidate.lkey() == lkey
                            && candidate.protectionDomain().equals(pd))
                    .findFirst()
                    .orElseThrow(() -> new RdmaException(
                            Errno.ENOENT, String.format("lkey 0x%08x is that of no region of %s", lkey, pd)));
            long offset = CMemory.getLong(sge) - region.iova();
            long length = Integer.toUnsignedLong(CMemory.getInt(sge + 8));
            if (offset < 0 || length > region.lengthBytes() || offset > region.lengthBytes() - length) {
                throw new RdmaException(Errno.EFAULT, "sge " + i + " is not within " + region);
            }
            if (!region.access().contains(AccessFlag.ON_DEMAND)) {
                throw new RdmaException(Errno.EINVAL, region + " is not registered with ON_DEMAND");
            }
            if (a.flag(3) && !region.access().contains(AccessFlag.LOCAL_WRITE)) {
                throw new RdmaException(Errno.EPERM, region + " is not registered with LOCAL_WRITE");
            }
        }
        return 0;
    }

    static int register(CallArguments a) {
        ProtectionDomain pd = a.object(0, ProtectionDomain.class);
        MemorySegment segment = CMemory.segment(a.number(1), a.number(2));
        MrInitAttributes asked =
                MrInitAttributes.of(segment, access(a.small(4))).withIova(a.number(3));
        MemoryRegion region = register(pd, segment, asked);
        putKeys(a.number(5), region);
        return ObjectTable.add(region, pd.context());
    }

    private static MemoryRegion register(ProtectionDomain pd, MemorySegment memory, MrInitAttributes asked) {
        if (SharedPages.areUsedBy(pd.context())) {
            return registerShared(pd, memory, asked);
        }
        try {
            MemoryRegion region = pd.registerMemory(asked);
            return SharedPages.areStoredTo(memory, asked)
                    ? shareWithPeers(region, memory, asked)
                    : used(SharedPages.own(memory), region);
        } catch (RdmaException e) {
            if (SharedPages.areWanted(pd, memory, e)) {
                return registerShared(pd, memory, asked);
            }
            throw e;
        }
    }

    private static MemoryRegion used(SharedPages.Use use, MemoryRegion region) {
        SharedPages.use(use, region);
        return region;
    }

    /**
     * Replaces a region by one of the same memory that peers can map; returns the region itself if that is impossible.
     */
    private static MemoryRegion shareWithPeers(MemoryRegion region, MemorySegment memory, MrInitAttributes asked) {
        try {
            MemoryRegion shared = registerShared(region.protectionDomain(), memory, asked);
            region.close();
            return shared;
        } catch (RdmaException e) {
            return used(SharedPages.own(memory), region);
        }
    }

    private static MemoryRegion registerShared(ProtectionDomain pd, MemorySegment memory, MrInitAttributes asked) {
        SharedPages.Use shared = SharedPages.share(pd.context(), memory);
        try {
            return used(
                    shared, pd.registerMemory(new MrInitAttributes(shared.segments(), asked.iova(), asked.access())));
        } catch (RdmaException e) {
            SharedPages.cancel(shared);
            throw e;
        }
    }

    static int deregister(CallArguments a) throws Exception {
        MemoryRegion region = a.object(0, MemoryRegion.class);
        ObjectTable.destroy(a.small(0));
        SharedPages.release(region);
        return 0;
    }

    static int reregister(CallArguments a) {
        MemoryRegion region = a.object(0, MemoryRegion.class);
        int flags = a.small(1);
        Reregistration change = Reregistration.empty();
        SharedPages.Use use = null;
        if ((flags & REREG_TRANSLATION) != 0) {
            MemorySegment memory = CMemory.segment(a.number(3), a.number(4));
            Context context = region.protectionDomain().context();
            boolean isShared = SharedPages.areUsedBy(context);
            use = isShared ? SharedPages.share(context, memory) : SharedPages.own(memory);
            change = isShared ? change.withPieces(use.segments(), memory.address()) : change.withSegment(memory);
        }
        if ((flags & REREG_PD) != 0) {
            change = change.withDomain(a.object(2, ProtectionDomain.class));
        }
        if ((flags & REREG_ACCESS) != 0) {
            change = change.withAccess(access(a.small(5)));
        }
        reregister(region, change, use);
        putKeys(a.number(6), region);
        return 0;
    }

    private static void reregister(MemoryRegion region, Reregistration change, SharedPages.@Nullable Use use) {
        try {
            region.reregister(change);
        } catch (RdmaException e) {
            if (use != null) {
                SharedPages.cancel(use);
            }
            throw e;
        }
        if (use != null) {
            SharedPages.release(region);
            SharedPages.use(use, region);
        }
    }

    /** The members {@code lkey} and {@code rkey} of {@code struct ibv_mr}. */
    private static void putKeys(long mr, MemoryRegion region) {
        CMemory.putInt(mr + 36, region.lkey());
        CMemory.putInt(mr + 40, region.rkey());
    }

    /** @throws RdmaException EINVAL for a bit that is no access flag */
    private static Set<AccessFlag> access(int mask) {
        Set<AccessFlag> flags = AccessFlag.ofMask(mask);
        if (AccessFlag.mask(flags) != mask) {
            throw new RdmaException(Errno.EINVAL, String.format("access flags 0x%x contain unknown bits", mask));
        }
        return flags;
    }

    static int allocateWindow(CallArguments a) {
        ProtectionDomain pd = a.object(0, ProtectionDomain.class);
        for (WindowType type : WindowType.values()) {
            if (type.code() == a.small(1)) {
                MemoryWindow window = pd.allocateWindow(type);
                CMemory.putInt(a.number(2), window.rkey());
                return ObjectTable.add(window, pd.context());
            }
        }
        throw new RdmaException(Errno.EINVAL, "window type " + a.small(1) + " is unknown");
    }

    /** {@code ibv_bind_mw}; the binding has the layout of {@code struct ibv_mw_bind}. */
    static int bindWindow(CallArguments a) {
        MemoryWindow window = a.object(0, MemoryWindow.class);
        MemoryRegion region = ObjectTable.find(a.small(2), MemoryRegion.class);
        long bind = a.number(3);
        long length = CMemory.getLong(bind + 32);
        WindowBinding binding = region == null || length == 0
                ? WindowBinding.none()
                : WindowBinding.of(
                        region,
                        CMemory.getLong(bind + 24),
                        length,
                        AccessFlag.ofMask(CMemory.getInt(bind + 40) & WINDOW_ACCESS));
        Set<SendFlag> flags = Flags.of(SendFlag.class, CMemory.getInt(bind + 8), SendFlag::bit);
        int key = window.bind(a.object(1, PostingQp.class).qp(), CMemory.getLong(bind), flags, binding);
        CMemory.putInt(a.number(4), key);
        return 0;
    }

    static int allocateDeviceMemory(CallArguments a) {
        Context context = a.object(0, Context.class);
        return ObjectTable.add(context.allocateDeviceMemory(a.number(1), a.small(2)), context);
    }

    /** The last argument is true for a copy to the device memory. */
    static int copyDeviceMemory(CallArguments a) {
        DeviceMemory memory = a.object(0, DeviceMemory.class);
        MemorySegment other = CMemory.segment(a.number(2), a.number(3));
        if ((a.number(1) | a.number(3)) % DM_ALIGNMENT != 0) {
            throw new RdmaException(
                    Errno.EINVAL,
                    "offset " + a.number(1) + " and length " + a.number(3) + " are no multiples of " + DM_ALIGNMENT);
        }
        if (a.flag(4)) {
            memory.write(a.number(1), other);
        } else {
            memory.read(a.number(1), other);
        }
        return 0;
    }

    static int registerDeviceMemory(CallArguments a) {
        ProtectionDomain pd = a.object(0, ProtectionDomain.class);
        MemoryRegion region =
                pd.registerDeviceMemory(a.object(1, DeviceMemory.class), a.number(2), a.number(3), access(a.small(4)));
        putKeys(a.number(5), region);
        return ObjectTable.add(region, pd.context());
    }
}
