// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.transport.responder;

import io.rdma4j.packet.SkBuff;
import io.rdma4j.transport.memory.KeyTable;
import io.rdma4j.transport.memory.MemoryKey;
import io.rdma4j.transport.memory.RegionKey;
import io.rdma4j.transport.memory.ShortCopy;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.VarHandle;
import org.jspecify.annotations.Nullable;

/**
 * The local memory that the peer's request accesses, from its first packet to its last: {@code qp->resp.va},
 * {@code rkey}, {@code resid} of rxe.
 *
 * <p>The key is looked up again for each packet, since it may be invalidated between two packets. An empty READ or
 * WRITE names no memory: key and address are not checked (IBA 9.7.5.2.7).
 */
final class RemoteTarget {
    /** Byte order and width of the operands of atomics: native, as for any other program that shares the memory. */
    private static final ValueLayout.OfLong LONG = ValueLayout.JAVA_LONG;

    private static final VarHandle VALUE = LONG.varHandle();

    private final KeyTable keys;
    private final Object queuePair;

    private Object protectionDomain;
    private int rkey;
    private int access;
    private long address;
    private long left;

    /** The resolved {@link #address}: a region and an address in its own address space. */
    private @Nullable RegionKey region;

    private long regionAddress;

    /** @param queuePair of the peer's requests */
    RemoteTarget(KeyTable keys, Object queuePair) {
        this.keys = keys;
        this.queuePair = queuePair;
        this.protectionDomain = queuePair;
    }

    /**
     * Resolves {@code length} bytes at {@code start}.
     *
     * @param domain the protection domain that the memory must belong to
     * @param rights access rights that the peer needs
     * @return false if the key is not valid, does not grant the rights, or the range is not inside
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

    /** Resolves all the memory of the key, as a FLUSH may request. */
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

    /**
     * True if the eight bytes of an atomic can be accessed atomically: they are one aligned word in this machine's
     * memory.
     */
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
     * Writes {@code length} bytes of {@code skb}, from offset {@code from} on, and advances.
     *
     * @return false if the key was invalidated or the memory closed
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
     * True if a thread that does not own the port loop may write to what was resolved just now: a {@linkplain
     * RegionKey#isFixed fixed} region, through its own key.
     */
    @SuppressWarnings("ReferenceEquality") // one object per registration
    boolean isFixed() {
        RegionKey to = resolved();
        return to.isFixed() && keys.at(rkey) == to;
    }

    /**
     * Writes {@code length} bytes of plain memory, all that was resolved just now.
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
            ShortCopy.copy(source, from + done, to.memory(at), to.offset(at), part);
        }
        return true;
    }

    /**
     * Appends the first {@code length} bytes as fragments; the range was resolved.
     *
     * @return false if the buffer has fewer free fragments than the memory has segments
     */
    boolean addTo(SkBuff skb, int length) {
        int part;
        for (int done = 0; done < length; done += part) {
            if (skb.shinfo().fragCount() == SkBuff.MAX_FRAGS) {
                return false;
            }
            RegionKey from = resolved();
            long at = regionAddress + done;
            part = from.contiguous(at, length - done);
            skb.addFrag(from.memory(at), from.offset(at), part);
        }
        return true;
    }

    /**
     * Swaps if the value is {@code compare}; returns the original value. Atomic with respect to every other access in
     * this JVM.
     */
    long compareAndSwap(long compare, long swap) {
        return (long) VALUE.compareAndExchange(memory(), offset(), compare, swap);
    }

    /** Adds modulo 2^64; returns the original value. */
    long fetchAndAdd(long add) {
        return (long) VALUE.getAndAdd(memory(), offset(), add);
    }

    /**
     * Swaps the bits of {@code swapMask} if the bits of {@code compareMask} equal those of {@code compare}; returns the
     * original value.
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
     * Adds to each of the fields whose highest bits are set in {@code boundaries}, without carry from one field to the
     * next; returns the original value.
     */
    long fetchAndAdd(long add, long boundaries) {
        long before;
        long after;
        do {
            before = (long) VALUE.getVolatile(memory(), offset());
            // Without its highest bit a field has no carry out; the sum without carry is then added to that bit.
            after = (before & ~boundaries) + (add & ~boundaries) ^ (before ^ add) & boundaries;
        } while (!VALUE.compareAndSet(memory(), offset(), before, after));
        return before;
    }

    /** Stores eight bytes atomically. */
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

    /** Makes what was written before globally visible, and persistent where the memory is a mapped file. */
    void flush(boolean persistent) {
        VarHandle.fullFence();
        if (persistent && left > 0) {
            resolved().force(regionAddress, left);
        }
    }
}
