// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.base.local;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.VarHandle;

/**
 * Memory layout of the keys by which the peers of a process may store into its segments. Only the owner of the
 * memory writes it.
 *
 * <pre>
 *    0  tag: protection domain (32), R_Key (32); 0 for a free entry; written last
 *    8  address of the first byte in work requests (64)
 *   16  bytes (64)
 *   24  offset in the segment (64)
 *   32  number of the segment (32)
 *   64  the next entry
 * </pre>
 *
 * <p>An R_Key has one possible entry. A key whose entry is taken is not there, and peers send messages.
 *
 * <p>A peer sets {@link LinkRing#STORING}, then reads the tag, and stores only if it finds the tag of its key. The
 * owner clears the tag, and then waits until no peer stores. Both have a full fence between the two steps. So the
 * fields of an entry do not change while a peer stores.
 */
public final class KeyPage {
    /** Number of the segment that has the keys. */
    public static final int SEGMENT = 0;

    /** Bytes of the keys. */
    public static final long BYTES = 16 << 10;

    private static final int ENTRY_BYTES = 64;
    private static final int ENTRIES = (int) (BYTES / ENTRY_BYTES);
    private static final long IOVA = 8;
    private static final long LENGTH = 16;
    private static final long OFFSET = 24;
    private static final long NUMBER = 32;
    private static final VarHandle LONG = ValueLayout.JAVA_LONG.varHandle();

    private KeyPage() {}

    private static long tag(int domain, int rkey) {
        return (long) domain << Integer.SIZE | Integer.toUnsignedLong(rkey);
    }

    /**
     * {@return offset of the only possible entry of a key}
     *
     * @param rkey the key
     */
    public static long entry(int rkey) {
        // The lower eight bits of a key are a variant of its number.
        return (long) (rkey >>> 8 & ENTRIES - 1) * ENTRY_BYTES;
    }

    // For the owner of the memory

    /**
     * Adds a key.
     *
     * @param page of this process
     * @param domain number of the protection domain, not 0
     * @param rkey the key
     * @param iova address of the first byte in work requests
     * @param bytes length of the region
     * @param segment number of the segment
     * @param offset of the first byte in the segment
     * @return false if its entry is taken
     */
    public static boolean add(
            MemorySegment page, int domain, int rkey, long iova, long bytes, int segment, long offset) {
        long at = entry(rkey);
        if ((long) LONG.getOpaque(page, at) != 0) {
            return false;
        }
        page.set(ValueLayout.JAVA_LONG, at + IOVA, iova);
        page.set(ValueLayout.JAVA_LONG, at + LENGTH, bytes);
        page.set(ValueLayout.JAVA_LONG, at + OFFSET, offset);
        page.set(ValueLayout.JAVA_INT, at + NUMBER, segment);
        LONG.setRelease(page, at, tag(domain, rkey));
        return true;
    }

    /**
     * Removes a key if it is there. The caller then waits until no peer stores.
     *
     * @param page of this process
     * @param rkey the key
     */
    public static void remove(MemorySegment page, int rkey) {
        long at = entry(rkey);
        if ((int) (long) LONG.getOpaque(page, at) == rkey) {
            LONG.setVolatile(page, at, 0L);
            VarHandle.fullFence();
        }
    }

    // For peers

    /**
     * {@return true if a key is there} The fields of the entry are constant while {@link LinkRing#STORING} is set,
     * which a full fence must follow before this call.
     *
     * @param page of the peer
     * @param domain number of the protection domain
     * @param rkey the key
     */
    public static boolean has(MemorySegment page, int domain, int rkey) {
        return domain != 0 && (long) LONG.getAcquire(page, entry(rkey)) == tag(domain, rkey);
    }

    /**
     * {@return offset in the segment of an address in work requests; -1 if the bytes are not in the region}
     *
     * @param page of the peer
     * @param entry of the key
     * @param address of the first byte
     * @param length bytes
     */
    public static long offset(MemorySegment page, long entry, long address, int length) {
        long from = address - page.get(ValueLayout.JAVA_LONG, entry + IOVA);
        long bytes = page.get(ValueLayout.JAVA_LONG, entry + LENGTH);
        return from >= 0 && length <= bytes && from <= bytes - length
                ? page.get(ValueLayout.JAVA_LONG, entry + OFFSET) + from
                : -1;
    }

    /**
     * {@return number of the segment}
     *
     * @param page of the peer
     * @param entry of the key
     */
    public static int segment(MemorySegment page, long entry) {
        return page.get(ValueLayout.JAVA_INT, entry + NUMBER);
    }
}
