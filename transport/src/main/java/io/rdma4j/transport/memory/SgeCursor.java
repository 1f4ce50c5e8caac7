// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.transport.memory;

import io.rdma4j.packet.SkBuff;
import io.rdma4j.verbs.spi.ring.RingMemory;
import io.rdma4j.verbs.spi.ring.SgeLayout;
import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;

/**
 * Position in the scatter/gather list of one work queue element. Corresponds to {@code rxe_dma_info} and
 * {@code copy_data}.
 *
 * <p>Reused for one element after another. The key and range of a segment are checked when the segment is accessed.
 * Empty segments are skipped without a check.
 */
public final class SgeCursor {
    private final KeyTable keys;
    private final int access;

    private Object protectionDomain;

    private RingMemory wqeMemory = RingMemory.EMPTY;
    private long list;
    private int count;
    private int index;
    private long within;

    /** The fields of the segment at {@link #index}: read once, since the client can still write into its ring. */
    private long pieceAddress;

    private long pieceLength;
    private int pieceKey;

    /** @param access rights that the segments must grant: 0 to gather, LOCAL_WRITE to scatter */
    public SgeCursor(KeyTable keys, Object protectionDomain, int access) {
        this.keys = keys;
        this.protectionDomain = protectionDomain;
        this.access = access;
    }

    /** Sets the protection domain that the segments must belong to. */
    public void protectionDomain(Object domain) {
        protectionDomain = domain;
    }

    /** Moves to the first byte of the list of {@code count} segments at offset {@code list} of {@code memory}. */
    public void begin(RingMemory memory, long list, int count) {
        this.wqeMemory = memory;
        this.list = list;
        this.count = count;
        go(0, 0);
    }

    /** Moves to {@code bytes} behind the first byte of a segment. */
    private void go(int piece, long bytes) {
        index = piece;
        within = bytes;
        if (piece < count) {
            long at = list + (long) piece * SgeLayout.BYTES;
            long lengthAndKey = SgeLayout.lengthAndKey(wqeMemory, at);
            pieceAddress = SgeLayout.address(wqeMemory, at);
            pieceLength = SgeLayout.length(lengthAndKey);
            pieceKey = SgeLayout.lkey(lengthAndKey);
        }
    }

    /** Advances by {@code bytes} without checks. */
    public void skip(long bytes) {
        long left = bytes;
        while (left > 0 && index < count) {
            long part = Math.min(left, pieceLength - within);
            left -= part;
            advance(part);
        }
    }

    /** Advances by {@code bytes}; false if a key or range on the way is not valid, or the list ends before. */
    public boolean check(long bytes) {
        long left = bytes;
        while (left > 0) {
            if (nextPiece() == null) {
                return false;
            }
            long part = Math.min(left, pieceLength - within);
            left -= part;
            advance(part);
        }
        return true;
    }

    /**
     * Appends the next {@code length} bytes as fragments of {@code skb}.
     *
     * @return false if a key or range is not valid, the list ends before, or the buffer has not enough fragments
     */
    public boolean gather(SkBuff skb, int length) {
        int left = length;
        while (left > 0) {
            RegionKey key = nextPiece();
            if (key == null || skb.shinfo().fragCount() == SkBuff.MAX_FRAGS) {
                return false;
            }
            int part = part(key, left);
            skb.addFrag(key.memory(address()), key.offset(address()), part);
            left -= part;
            advance(part);
        }
        return true;
    }

    /**
     * Appends the next {@code length} bytes, at least one, if they make one fragment.
     *
     * @return false if they do not, or for one of the reasons of {@link #gather}: nothing was appended
     */
    public boolean gatherAsOne(SkBuff skb, int length) {
        RegionKey key = nextPiece();
        if (key == null || skb.shinfo().fragCount() == SkBuff.MAX_FRAGS || part(key, length) < length) {
            return false;
        }
        skb.addFrag(key.memory(address()), key.offset(address()), length);
        advance(length);
        return true;
    }

    /**
     * Copies the next {@code length} bytes out.
     *
     * @return false if a key or range is not valid, the list ends before, or the memory was closed
     */
    public boolean copy(MemorySegment target, long at, int length) {
        int done = 0;
        while (done < length) {
            RegionKey key = nextPiece();
            if (key == null) {
                return false;
            }
            int part = part(key, length - done);
            try {
                MemorySegment.copy(key.memory(address()), key.offset(address()), target, at + done, part);
            } catch (IllegalStateException | InternalError gone) {
                return false;
            }
            done += part;
            advance(part);
        }
        return true;
    }

    /**
     * Copies {@code length} bytes of {@code skb}, from offset {@code from} on, into the next segments.
     *
     * @return false if a key or range is not valid, the list ends before, or memory on either side was closed; the
     *     cursor then stays where it was, however much was copied
     */
    public boolean scatter(SkBuff skb, int from, int length) {
        int indexBefore = index;
        long withinBefore = within;
        int done = 0;
        while (done < length) {
            RegionKey key = nextPiece();
            int part = key == null ? 0 : part(key, length - done);
            if (key == null || !copy(skb, from + done, key, part)) {
                go(indexBefore, withinBefore);
                return false;
            }
            done += part;
            advance(part);
        }
        return true;
    }

    /**
     * The same from plain memory.
     *
     * @param inLoop whether the caller owns the port loop; if not, the memory must be {@linkplain RegionKey#isFixed
     *     fixed}
     * @throws IllegalStateException if memory on either side was closed
     */
    public boolean scatter(MemorySegment source, long from, int length, boolean inLoop) {
        int done = 0;
        while (done < length) {
            RegionKey key = nextPiece();
            if (key == null || !inLoop && !key.isFixed()) {
                return false;
            }
            int part = part(key, length - done);
            ShortCopy.copy(source, from + done, key.memory(address()), key.offset(address()), part);
            done += part;
            advance(part);
        }
        return true;
    }

    /** False if memory on either side was closed, perhaps at this moment: only the copy itself can detect that. */
    private boolean copy(SkBuff skb, int from, RegionKey key, int length) {
        try {
            skb.copyBits(from, key.memory(address()), key.offset(address()), length);
            return true;
        } catch (IllegalStateException closed) {
            return false;
        }
    }

    /**
     * The region of the next segment that is not empty, its whole range checked; null if there is none or it is not
     * valid.
     */
    private @Nullable RegionKey nextPiece() {
        while (index < count && pieceLength == within) {
            go(index + 1, 0);
        }
        if (index == count) {
            return null;
        }
        RegionKey key = keys.lookup(protectionDomain, pieceKey, access);
        boolean open = key != null && key.contains(pieceAddress, pieceLength) && key.admits(pieceAddress, access);
        return open ? key : null;
    }

    /** How many of the next {@code wanted} bytes are in one memory segment. */
    private int part(RegionKey key, int wanted) {
        return key.contiguous(address(), (int) Math.min(wanted, pieceLength - within));
    }

    private long address() {
        return pieceAddress + within;
    }

    private void advance(long bytes) {
        within += bytes;
        if (within == pieceLength) {
            go(index + 1, 0);
        }
    }
}
