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
    private final Object protectionDomain;

    private @Nullable MemoryKey key;
    private int rkey;
    private int access;
    private long address;
    private long left;

    RemoteTarget(MemoryKeys keys, Object protectionDomain) {
        this.keys = keys;
        this.protectionDomain = protectionDomain;
    }

    /**
     * Points at {@code length} bytes at {@code start}.
     *
     * @param access what the peer needs
     * @return false if the key is not valid, does not grant it, or the range is not inside
     */
    boolean resolve(int rkey, long start, long length, int access) {
        this.rkey = rkey;
        this.access = access;
        address = start;
        left = length;
        key = null;
        return length == 0 || lookUp();
    }

    /** Points at all the memory that the key stands for: what a FLUSH may ask for. */
    boolean resolveWhole(int rkey, int access) {
        MemoryKey found = keys.lookup(protectionDomain, rkey, access);
        return found != null && resolve(rkey, found.iova(), found.memory().byteSize(), access);
    }

    private boolean lookUp() {
        MemoryKey found = keys.lookup(protectionDomain, rkey, access);
        key = found;
        return found != null && found.contains(address, left) && found.isAlive();
    }

    /** True if the eight bytes that an atomic works on can be worked on at once: the address is even for the machine. */
    boolean isAligned() {
        return ((memory().address() + offset()) & (Long.BYTES - 1)) == 0;
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
        MemoryKey to = lookUp() ? key : null;
        if (to == null) {
            return false;
        }
        try {
            skb.copyBits(from, to.memory(), to.offset(address), length);
        } catch (IllegalStateException closed) {
            return false;
        }
        address += length;
        left -= length;
        return true;
    }

    /** Appends {@code length} bytes from {@code offset} on as a fragment; the range was resolved and is not empty. */
    void addTo(SkBuff skb, long offset, int length) {
        MemoryKey from = key;
        if (from != null) {
            skb.addFrag(from.memory(), from.offset(address + offset), length);
        }
    }

    /** Swaps if the value is {@code compare}; returns the value from before. Atomic against every other access in this JVM. */
    long compareAndSwap(long compare, long swap) {
        return (long) VALUE.compareAndExchange(memory(), offset(), compare, swap);
    }

    /** Adds, without carry out of the 64 bits; returns the value from before. */
    long fetchAndAdd(long add) {
        return (long) VALUE.getAndAdd(memory(), offset(), add);
    }

    /** Stores eight bytes at once. */
    void store(long value) {
        VALUE.setRelease(memory(), offset(), value);
    }

    private MemorySegment memory() {
        MemoryKey target = key;
        if (target == null) {
            throw new IllegalStateException("no target was resolved");
        }
        return target.memory();
    }

    private long offset() {
        MemoryKey target = key;
        return target == null ? 0 : target.offset(address);
    }

    /** Makes what was written before visible to all, and lasting where the memory is a mapped file. */
    void flush(boolean persistent) {
        VarHandle.fullFence();
        MemoryKey target = key;
        if (persistent && target != null && target.memory().isMapped()) {
            target.memory().asSlice(offset(), left).force();
        }
    }
}
