// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.transport.memory;

import io.rdma4j.base.Errno;
import io.rdma4j.base.RdmaException;
import io.rdma4j.verbs.values.AccessFlag;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.IdentityHashMap;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The device's table from L_Keys and R_Keys to registered memory and memory windows.
 *
 * <p>A key is {@code number << 8 | variant}. The number comes from a {@link NumberSequence}, so peers cannot derive
 * other keys from those that they know. The low bits of the number are the slot in the table. A number whose slot is
 * taken is skipped, and the table doubles before it is more than half full. The variant of a slot changes at every
 * registration, so a stale key stays invalid for a long time. A lookup is one array access without locks, from the port
 * loop. Any thread may register and revoke; these calls are synchronized here.
 */
public final class KeyTable {
    private static final int INITIAL_SLOTS = 64;

    /** Number and slot of the reserved key; no other key has this slot. */
    private static final int RESERVED = 0;

    private static final VarHandle SLOT = MethodHandles.arrayElementVarHandle(MemoryKey[].class);

    private final int maxRegions;
    private final int maxWindows;
    private final NumberSequence numbers;
    private volatile @Nullable MemoryKey[] table = new MemoryKey[INITIAL_SLOTS];
    private byte[] variants = new byte[INITIAL_SLOTS];
    private int regions;
    private int windows;
    private @Nullable RegionKey reserved;

    /** The spaces that DMA regions follow. */
    private final IdentityHashMap<RegionKey, DmaSpace> dmaSpaces = new IdentityHashMap<>();

    /**
     * Creates an empty table.
     *
     * @param maxRegions maximum number of regions at once (max_mr and max_fmr)
     * @param maxWindows maximum number of windows at once (max_mw); both together below 2^23
     * @param numbers source of the upper 24 bits of the keys; used by this table only
     */
    public KeyTable(int maxRegions, int maxWindows, NumberSequence numbers) {
        this.maxRegions = maxRegions;
        this.maxWindows = maxWindows;
        this.numbers = numbers;
    }

    /**
     * Registers one contiguous memory segment, see {@link #register(Object, List, long, int)}.
     *
     * @param protectionDomain whose queue pairs may use it
     * @param memory native; stays where it is
     * @param iova address of its first byte in work requests
     * @param access bits of {@link io.rdma4j.verbs.values.AccessFlag}
     * @return the region, whose key is valid from now on
     */
    public RegionKey register(Object protectionDomain, MemorySegment memory, long iova, int access) {
        return register(protectionDomain, List.of(memory), iova, access);
    }

    /**
     * Registers memory segments that follow one another from {@code iova} on.
     *
     * @param protectionDomain whose queue pairs may use it
     * @param pieces native; stay where they are
     * @param iova address of the first byte in work requests
     * @param access bits of {@link io.rdma4j.verbs.values.AccessFlag}
     * @return the region, whose key is valid from now on
     * @throws RdmaException ENOMEM if the device's limit is reached
     */
    public synchronized RegionKey register(Object protectionDomain, List<MemorySegment> pieces, long iova, int access) {
        checkRegions();
        return put(new RegionKey(nextKey(), protectionDomain, pieces, iova, access));
    }

    /**
     * Replaces a region by another one with other attributes of the same memory, which keeps its key. The caller
     * ensures that the port loop does not use the region at the same time.
     *
     * @param old the region to be removed
     * @param protectionDomain whose queue pairs may use the new one
     * @param pieces as those of {@code old}
     * @param iova as that of {@code old}
     * @param access bits of {@link io.rdma4j.verbs.values.AccessFlag}
     * @return the new region
     * @throws RdmaException EBUSY while windows are bound to {@code old}; nothing has changed then
     */
    public synchronized RegionKey change(
            RegionKey old, Object protectionDomain, List<MemorySegment> pieces, long iova, int access) {
        revoke(old);
        checkRegions();
        return put(new RegionKey(old.key(), protectionDomain, pieces, iova, access));
    }

    /**
     * Replaces a region by another one with a new key, for other memory. The caller ensures that the port loop does not
     * use the region at the same time.
     *
     * @param old the region to be removed
     * @param protectionDomain whose queue pairs may use the new one
     * @param pieces native; stay where they are
     * @param iova address of the first byte in work requests
     * @param access bits of {@link io.rdma4j.verbs.values.AccessFlag}
     * @return the new region
     * @throws RdmaException EBUSY while windows are bound to {@code old}; nothing has changed then
     */
    public synchronized RegionKey replace(
            RegionKey old, Object protectionDomain, List<MemorySegment> pieces, long iova, int access) {
        revoke(old);
        return register(protectionDomain, pieces, iova, access);
    }

    /**
     * Registers all that is mapped in a space, now and later. No thread runs the port loop.
     *
     * @param protectionDomain whose queue pairs may use it
     * @param space of one context: mappings of other contexts cannot be accessed
     * @param access bits of {@link io.rdma4j.verbs.values.AccessFlag}
     * @return the region, whose key is valid from now on
     * @throws RdmaException ENOMEM if the device's limit is reached
     */
    public synchronized RegionKey registerDma(Object protectionDomain, DmaSpace space, int access) {
        checkRegions();
        RegionKey region = put(new RegionKey(nextKey(), protectionDomain, access));
        space.attach(region);
        dmaSpaces.put(region, space);
        return region;
    }

    /**
     * {@return the reserved key ({@code local_dma_lkey}): valid in every protection domain for local access to all that
     * is mapped in the space of the domain's context, and for no remote access} The device has one such number. It is
     * created at the first request, exists until the device ends, and does not count as a region. No thread runs the
     * port loop.
     *
     * @param space in whose protection domains the key is valid
     */
    public synchronized RegionKey reserved(DmaSpace space) {
        RegionKey made = reserved;
        if (made == null) {
            int key = RESERVED << 8 | 1;
            made = put(new RegionKey(key, MemoryKey.ANY_DOMAIN, AccessFlag.LOCAL_WRITE.bit()));
            reserved = made;
        }
        return space.reserve(made.key());
    }

    /**
     * Allocates a region that is to be registered by work request; no key is valid for it yet.
     *
     * @param protectionDomain whose queue pairs may use it
     * @return the region
     * @throws RdmaException ENOMEM if the device's limit is reached
     */
    public synchronized RegionKey allocateFast(Object protectionDomain) {
        checkRegions();
        return put(new RegionKey(nextKey(), protectionDomain, true));
    }

    /**
     * Allocates a region that is to be {@linkplain RegionKey#remap mapped by call}; no key is valid for it yet.
     *
     * @param protectionDomain whose queue pairs may use it
     * @return the region
     * @throws RdmaException ENOMEM if the device's limit is reached
     */
    public synchronized RegionKey allocateFmr(Object protectionDomain) {
        checkRegions();
        return put(new RegionKey(nextKey(), protectionDomain, false));
    }

    private void checkRegions() {
        if (regions == maxRegions) {
            throw new RdmaException(
                    Errno.ENOMEM, "all " + maxRegions + " memory regions of the device (max_mr) are in use");
        }
        regions++;
    }

    /**
     * Allocates an unbound window.
     *
     * @param protectionDomain whose queue pairs may bind it
     * @param typeTwo true for type 2, false for type 1
     * @return the window
     * @throws RdmaException ENOMEM if the device's limit is reached
     */
    public synchronized WindowKey allocateWindow(Object protectionDomain, boolean typeTwo) {
        if (windows == maxWindows) {
            throw new RdmaException(
                    Errno.ENOMEM, "all " + maxWindows + " memory windows of the device (max_mw) are in use");
        }
        windows++;
        return put(new WindowKey(nextKey(), protectionDomain, typeTwo));
    }

    private int nextKey() {
        int held = regions + windows;
        if (2 * held > table.length) {
            grow();
        }
        int number = numbers.next();
        while (place(number) == RESERVED || table[place(number)] != null) {
            number = numbers.next();
        }
        return number << 8 | Byte.toUnsignedInt(++variants[place(number)]);
    }

    private <K extends MemoryKey> K put(K entry) {
        SLOT.setRelease(table, place(entry.key() >>> 8), entry);
        return entry;
    }

    private int place(int number) {
        return number & table.length - 1;
    }

    /** Doubles the table. Entries with distinct slots keep distinct slots, since one more bit of the number is used. */
    private void grow() {
        @Nullable MemoryKey[] old = table;
        byte[] oldVariants = variants;
        @Nullable MemoryKey[] larger = new MemoryKey[2 * old.length];
        byte[] largerVariants = new byte[larger.length];
        for (int i = 0; i < larger.length; i++) {
            largerVariants[i] = oldVariants[i & old.length - 1];
        }
        for (MemoryKey entry : old) {
            if (entry != null) {
                larger[entry.key() >>> 8 & larger.length - 1] = entry;
            }
        }
        variants = largerVariants;
        table = larger;
    }

    /**
     * Removes an entry. The caller ensures that the port loop does not use it at the same time. A bound window is
     * unbound.
     *
     * @param entry a region or a window
     * @throws RdmaException EBUSY for a region that windows are bound to; nothing has changed then
     */
    @SuppressWarnings("ReferenceEquality") // two registrations are distinct even if they are equal
    public synchronized void revoke(MemoryKey entry) {
        int place = place(entry.key() >>> 8);
        if (table[place] != entry) {
            return;
        }
        switch (entry) {
            case RegionKey region -> {
                if (region.hasWindows()) {
                    throw new RdmaException(
                            Errno.EBUSY,
                            "memory windows bound to the region: " + region.windows() + "; unbind them first");
                }
                regions--;
                DmaSpace space = dmaSpaces.remove(region);
                if (space != null) {
                    space.detach(region);
                }
            }
            case WindowKey window -> {
                window.unbind();
                windows--;
            }
        }
        // The variant continues from that of the last entry in the slot.
        variants[place] = (byte) entry.key();
        entry.setInvalid();
        SLOT.setRelease(table, place, null);
    }

    /**
     * The region with the L_Key {@code key}, if it is valid, belongs to {@code protectionDomain} and grants all of
     * {@code access}.
     *
     * @param access bits of {@link io.rdma4j.verbs.values.AccessFlag}, 0 for local reads
     * @return null for anything else
     */
    @Nullable
    public RegionKey lookup(Object protectionDomain, int key, int access) {
        return at(key) instanceof RegionKey region && region.grants(key, protectionDomain, access)
                ? inDomain(region, protectionDomain)
                : null;
    }

    /**
     * The region that a key denotes in a protection domain: the one in the table, or, for the reserved key, that of the
     * domain's context; null if the context has none.
     */
    @SuppressWarnings("ReferenceEquality") // compared with a marker object
    private static @Nullable RegionKey inDomain(RegionKey region, Object domain) {
        if (region.protectionDomain() != MemoryKey.ANY_DOMAIN) {
            return region;
        }
        return domain instanceof DmaUser user ? user.dmaSpace().reserved() : null;
    }

    /**
     * The entry with the R_Key {@code key} for the peer of {@code queuePair}, as {@link #lookup}. Corresponds to
     * {@code lookup_mr} and {@code rxe_lookup_mw}.
     */
    @Nullable
    public MemoryKey lookupRemote(Object protectionDomain, Object queuePair, int key, int access) {
        MemoryKey entry = at(key);
        boolean open = entry != null && entry.grants(key, protectionDomain, access) && entry.isOpenTo(queuePair);
        return open ? entry : null;
    }

    /** The entry with this key or handle, in any state; null if there is none. */
    @Nullable
    public MemoryKey at(int key) {
        @Nullable MemoryKey[] slots = table;
        MemoryKey entry = (MemoryKey) SLOT.getAcquire(slots, key >>> 8 & slots.length - 1);
        return entry != null && (entry.handle() ^ key) >>> 8 == 0 ? entry : null;
    }
}
