package io.rdma4j.transport;

import io.rdma4j.packet.SkBuff;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.VarHandle;
import org.jspecify.annotations.Nullable;

/**
 * The memory of this side that the peer's request works on, from its first packet to its last: {@code qp->resp.va},
 * {@code rkey}, {@code resid} of rxe.
 *
 * <p>The key is looked up again for each packet, since it may be taken back between two of them. An empty READ or WRITE
 * names no memory: key and address are not looked at (IBA 9.7.5.2.7).
 */
final class RemoteTarget {
    /** Memory order and width of what atomics work on: the machine's, as for any other program that shares the memory. */
    private static final ValueLayout.OfLong LONG = ValueLayout.JAVA_LONG;

    private static final VarHandle VALUE = LONG.varHandle();

    private final MemoryKeys keys;
    private final Object queuePair;

    private Object protectionDomain;
    private int rkey;
    private int access;
    private long address;
    private long left;

    /** Where {@link #address} is, once it was looked up: a region and an address in its own address space. */
    private @Nullable RegionKey region;

    private long regionAddress;

    /** @param queuePair whose peer asks */
    RemoteTarget(MemoryKeys keys, Object queuePair) {
        this.keys = keys;
        this.queuePair = queuePair;
        this.protectionDomain = queuePair;
    }

    /**
     * Points at {@code length} bytes at {@code start}.
     *
     * @param domain the protection domain that the memory must belong to
     * @param rights what the peer needs
     * @return false if the key is not valid, does not grant it, or the range is not inside
     */
    boolean resolve(Object domain, int key, long start, long length, int rights) {
        protectionDomain = domain;
        rkey = key;
        access = rights;
        address = start;
        left = length;
        region = null;
        return length == 0 || lookUp();
    }

    /** Points at all the memory that the key stands for: what a FLUSH may ask for. */
    boolean resolveWhole(Object domain, int key, int rights) {
        MemoryKey found = keys.lookupRemote(domain, queuePair, key, rights);
        return found != null && resolve(domain, key, found.start(), found.length(), rights);
    }

    private boolean lookUp() {
        MemoryKey found = keys.lookupRemote(protectionDomain, queuePair, rkey, access);
        RegionKey below = found == null ? null : found.region();
        region = null;
        if (found == null || below == null || !found.contains(address, left)) {
            return false;
        }
        long inRegion = found.toRegion(address);
        if (!below.admits(inRegion, access)) {
            return false;
        }
        region = below;
        regionAddress = inRegion;
        return true;
    }

    /** True if the eight bytes that an atomic works on can be worked on at once: they are one even word for the machine. */
    boolean isAligned() {
        RegionKey at = resolved();
        boolean whole = at.contiguous(regionAddress, Long.BYTES) == Long.BYTES;
        long machineAddress = at.memory(regionAddress).address() + at.offset(regionAddress);
        return whole && (machineAddress & (Long.BYTES - 1)) == 0;
    }

    /** Bytes not written yet. */
    long left() {
        return left;
    }

    /**
     * Writes {@code length} bytes of {@code skb}, from offset {@code from} on, and moves on.
     *
     * @return false if the key was taken back or the memory closed
     */
    boolean write(SkBuff skb, int from, int length) {
        if (length == 0) {
            return true;
        }
        if (!lookUp()) {
            return false;
        }
        RegionKey to = resolved();
        try {
            int part;
            for (int done = 0; done < length; done += part) {
                long at = regionAddress + done;
                part = to.contiguous(at, length - done);
                skb.copyBits(from + done, to.memory(at), to.offset(at), part);
            }
        } catch (IllegalStateException closed) {
            return false;
        }
        address += length;
        left -= length;
        return true;
    }

    /**
     * Writes {@code length} bytes of plain memory, all of those that were resolved just now.
     *
     * @return true
     * @throws IllegalStateException if memory on either side was closed
     */
    boolean write(MemorySegment source, long from, int length) {
        RegionKey to = resolved();
        int part;
        for (int done = 0; done < length; done += part) {
            long at = regionAddress + done;
            part = to.contiguous(at, length - done);
            MemorySegment.copy(source, from + done, to.memory(at), to.offset(at), part);
        }
        return true;
    }

    /**
     * Appends the first {@code length} bytes as fragments; the range was resolved.
     *
     * @return false if the buffer has not enough fragments for all the pieces of the memory
     */
    boolean addTo(SkBuff skb, int length) {
        int part;
        for (int done = 0; done < length; done += part) {
            if (skb.fragCount() == SkBuff.MAX_FRAGS) {
                return false;
            }
            RegionKey from = resolved();
            long at = regionAddress + done;
            part = from.contiguous(at, length - done);
            skb.addFrag(from.memory(at), from.offset(at), part);
        }
        return true;
    }

    /** Swaps if the value is {@code compare}; returns the value from before. Atomic against every other access in this JVM. */
    long compareAndSwap(long compare, long swap) {
        return (long) VALUE.compareAndExchange(memory(), offset(), compare, swap);
    }

    /** Adds, without carry out of the 64 bits; returns the value from before. */
    long fetchAndAdd(long add) {
        return (long) VALUE.getAndAdd(memory(), offset(), add);
    }

    /**
     * Swaps the bits of {@code swapMask} if the bits of {@code compareMask} are those of {@code compare}; returns the value
     * from before.
     */
    long compareAndSwap(long compare, long compareMask, long swap, long swapMask) {
        long before;
        do {
            before = (long) VALUE.getVolatile(memory(), offset());
            if (((before ^ compare) & compareMask) != 0) {
                return before;
            }
        } while (!VALUE.compareAndSet(memory(), offset(), before, before & ~swapMask | swap & swapMask));
        return before;
    }

    /**
     * Adds to each of the fields whose highest bits are set in {@code boundaries}, without carry from one into the next;
     * returns the value from before.
     */
    long fetchAndAdd(long add, long boundaries) {
        long before;
        long after;
        do {
            before = (long) VALUE.getVolatile(memory(), offset());
            // Without its highest bit a field has no carry out; the sum without carry then belongs into that bit.
            after = (before & ~boundaries) + (add & ~boundaries) ^ (before ^ add) & boundaries;
        } while (!VALUE.compareAndSet(memory(), offset(), before, after));
        return before;
    }

    /** Stores eight bytes at once. */
    void store(long value) {
        VALUE.setRelease(memory(), offset(), value);
    }

    private MemorySegment memory() {
        return resolved().memory(regionAddress);
    }

    private long offset() {
        return resolved().offset(regionAddress);
    }

    private RegionKey resolved() {
        RegionKey target = region;
        if (target == null) {
            throw new IllegalStateException("no target was resolved");
        }
        return target;
    }

    /** Makes what was written before visible to all, and lasting where the memory is a mapped file. */
    void flush(boolean persistent) {
        VarHandle.fullFence();
        if (persistent && left > 0) {
            resolved().force(regionAddress, left);
        }
    }
}
