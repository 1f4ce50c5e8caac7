package io.rdma4j.transport;

import io.rdma4j.base.Errno;
import io.rdma4j.base.RdmaException;
import io.rdma4j.verbs.AccessFlag;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The device's table from L_Keys and R_Keys to registered memory and memory windows.
 *
 * <p>A key is {@code number << 8 | variant}. The number comes from a {@link NumberSequence}, so peers cannot tell from the keys that
 * they were given which others there are. The low bits of the number are the place in the table: numbers whose place is taken are
 * passed over, and the table doubles before it is more than half full. The variant of a place changes at every registration, so
 * a stale key fails for a long time. Looking up is one array access, without locks, from the port loop; registering and
 * revoking come from any thread and are serialised here.
 */
public final class MemoryKeys {
    private static final int INITIAL_SLOTS = 64;

    /** Number and place of the reserved key; no other key has this place. */
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

    /**
     * The table of a device, empty.
     *
     * @param maxRegions how many regions there may be at once (max_mr and max_fmr)
     * @param maxWindows how many windows there may be at once (max_mw); both together below 2^23
     * @param numbers where the upper 24 bits of the keys come from; used by this table only
     */
    public MemoryKeys(int maxRegions, int maxWindows, NumberSequence numbers) {
        this.maxRegions = maxRegions;
        this.maxWindows = maxWindows;
        this.numbers = numbers;
    }

    /**
     * Registers memory of one piece, see {@link #register(Object, List, long, int)}.
     *
     * @param protectionDomain whose queue pairs may use it
     * @param memory native; stays where it is
     * @param iova what work requests call its first byte
     * @param access bits of {@link io.rdma4j.verbs.AccessFlag}
     * @return the region, whose key is good from now on
     */
    public RegionKey register(Object protectionDomain, MemorySegment memory, long iova, int access) {
        return register(protectionDomain, List.of(memory), iova, access);
    }

    /**
     * Registers memory: pieces that follow one another from {@code iova} on.
     *
     * @param protectionDomain whose queue pairs may use it
     * @param pieces native; stay where they are
     * @param iova what work requests call the first byte
     * @param access bits of {@link io.rdma4j.verbs.AccessFlag}
     * @return the region, whose key is good from now on
     * @throws RdmaException ENOMEM if the device's limit is reached
     */
    public synchronized RegionKey register(Object protectionDomain, List<MemorySegment> pieces, long iova, int access) {
        checkRegions();
        return put(new RegionKey(nextKey(), protectionDomain, pieces, iova, access));
    }

    /**
     * Registers other memory, or the same in another way, in the place of a region; its key is another one. The caller has made
     * sure that the port loop is not just using it.
     *
     * @param old the region that goes
     * @param protectionDomain whose queue pairs may use the new one
     * @param pieces native; stay where they are
     * @param iova what work requests call the first byte
     * @param access bits of {@link io.rdma4j.verbs.AccessFlag}
     * @return the new region
     * @throws RdmaException EBUSY while windows are bound to {@code old}; nothing has changed then
     */
    public synchronized RegionKey replace(
            RegionKey old, Object protectionDomain, List<MemorySegment> pieces, long iova, int access) {
        revoke(old);
        return register(protectionDomain, pieces, iova, access);
    }

    /**
     * Registers whatever is mapped in a space, now and later; nobody is in the port loop.
     *
     * @param protectionDomain whose queue pairs may use it
     * @param space of one context: what others have mapped is not reached
     * @param access bits of {@link io.rdma4j.verbs.AccessFlag}
     * @return the region, whose key is good from now on
     * @throws RdmaException ENOMEM if the device's limit is reached
     */
    public synchronized RegionKey registerDma(Object protectionDomain, DmaSpace space, int access) {
        checkRegions();
        RegionKey region = put(new RegionKey(nextKey(), protectionDomain, space, access));
        space.attach(region);
        return region;
    }

    /**
     * {@return the reserved key ({@code local_dma_lkey}): good in every protection domain for local access to whatever is mapped in the space
     * of the domain's context, and for nothing remote} One number for the device, made when it is first asked for, and there until the end;
     * no region of those that are counted. Nobody is in the port loop.
     *
     * @param space for whose protection domains the key shall be good
     */
    public synchronized RegionKey reserved(DmaSpace space) {
        RegionKey made = reserved;
        if (made == null) {
            int key = RESERVED << 8 | 1;
            made = put(new RegionKey(key, MemoryKey.ANY_DOMAIN, new DmaSpace(), AccessFlag.LOCAL_WRITE.bit()));
            reserved = made;
        }
        return space.reserve(made.key());
    }

    /**
     * Makes a region that is to be registered by work request; no key is good for it yet.
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
     * Makes a region that is to be {@linkplain RegionKey#remap mapped by call}; no key is good for it yet.
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
     * Makes a window that shows nothing yet.
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

    /** Doubles the table. What had places of its own has them by one more bit of its number, too. */
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
     * Takes an entry out; the caller has made sure that the port loop is not just using it. A bound window is unbound.
     *
     * @param entry a region or a window
     * @throws RdmaException EBUSY for a region that windows are bound to; nothing has changed then
     */
    @SuppressWarnings("ReferenceEquality") // two registrations are never the same, however equal they look
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
                region.leaveSpace();
            }
            case WindowKey window -> {
                window.unbind();
                windows--;
            }
        }
        // The variant goes on from where the last user of the place left it.
        variants[place] = (byte) entry.key();
        entry.setInvalid();
        SLOT.setRelease(table, place, null);
    }

    /**
     * The region that {@code key} is the L_Key of, if it is valid, belongs to {@code protectionDomain} and grants all of
     * {@code access}.
     *
     * @param access bits of {@link io.rdma4j.verbs.AccessFlag}, 0 for local reads
     * @return null for anything else
     */
    @Nullable
    RegionKey lookup(Object protectionDomain, int key, int access) {
        return at(key) instanceof RegionKey region && region.grants(key, protectionDomain, access)
                ? region.inDomain(protectionDomain)
                : null;
    }

    /**
     * What {@code key} is the R_Key of, for the peer of {@code queuePair}, as {@link #lookup}; answers to
     * {@code lookup_mr} and {@code rxe_lookup_mw}.
     */
    @Nullable
    MemoryKey lookupRemote(Object protectionDomain, Object queuePair, int key, int access) {
        MemoryKey entry = at(key);
        boolean open = entry != null && entry.grants(key, protectionDomain, access) && entry.isOpenTo(queuePair);
        return open ? entry : null;
    }

    /** The entry that a key or handle is about, whatever its state; null if there is none. */
    @Nullable
    MemoryKey at(int key) {
        @Nullable MemoryKey[] slots = table;
        MemoryKey entry = (MemoryKey) SLOT.getAcquire(slots, key >>> 8 & slots.length - 1);
        return entry != null && (entry.handle() ^ key) >>> 8 == 0 ? entry : null;
    }
}
