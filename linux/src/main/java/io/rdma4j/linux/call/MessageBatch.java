// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.linux.call;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/**
 * An array of {@code struct mmsghdr}, for calls that receive several messages. Each message has one buffer for its
 * data. It optionally has room for the sender's address and for ancillary data ({@code cmsg(3)}). Allocates nothing
 * after the constructor.
 */
public final class MessageBatch {
    /** Result of {@link #control} if there are no ancillary data of that kind. */
    public static final int NONE = -1;

    /** {@code MSG_TRUNC}: the message was longer than its buffer. */
    private static final int TRUNCATED = 0x20;

    // struct mmsghdr: a struct msghdr and the number of received bytes
    private static final int LENGTH = Msghdr.BYTES;
    private static final int BYTES = LENGTH + Long.BYTES;

    private final int count;
    private final int nameBytes;
    private final int controlBytes;
    private final MemorySegment messages;
    private final MemorySegment names;
    private final MemorySegment controls;
    private final IoVector vector;

    /**
     * @param count number of messages
     * @param nameBytes for the sender's address, a multiple of 8; 0 for none
     * @param controlBytes for ancillary data, headers included, a multiple of 8; 0 for none
     */
    public MessageBatch(int count, int nameBytes, int controlBytes) {
        this.count = count;
        this.nameBytes = nameBytes;
        this.controlBytes = controlBytes;
        Arena arena = Arena.ofAuto();
        this.messages = arena.allocate((long) count * BYTES, Long.BYTES);
        this.names = arena.allocate((long) count * nameBytes, Long.BYTES);
        this.controls = arena.allocate((long) count * controlBytes, Long.BYTES);
        this.vector = new IoVector(count);
        for (int i = 0; i < count; i++) {
            long at = at(i);
            messages.set(ValueLayout.JAVA_LONG, at + Msghdr.NAME, nameBytes == 0 ? 0 : names.address() + nameAt(i));
            messages.set(ValueLayout.JAVA_LONG, at + Msghdr.VECTOR, vector.address(i));
            messages.set(ValueLayout.JAVA_LONG, at + Msghdr.VECTOR_LENGTH, 1);
            messages.set(
                    ValueLayout.JAVA_LONG,
                    at + Msghdr.CONTROL,
                    controlBytes == 0 ? 0 : controls.address() + controlAt(i));
        }
    }

    private static long at(int index) {
        return (long) index * BYTES;
    }

    /** Returns the offset of message {@code index}'s address in {@link #names}. */
    public long nameAt(int index) {
        return (long) index * nameBytes;
    }

    private long controlAt(int index) {
        return (long) index * controlBytes;
    }

    /** Returns the maximum number of messages of one call. */
    int count() {
        return count;
    }

    /** Returns the array, the argument of the call. */
    public MemorySegment messages() {
        return messages;
    }

    /** Returns the memory of the senders' addresses. */
    public MemorySegment names() {
        return names;
    }

    /** Returns the memory of the ancillary data; see {@link #control}. */
    public MemorySegment controls() {
        return controls;
    }

    /**
     * Prepares message {@code index}: its data will be written to {@code length} bytes from {@code offset} of {@code
     * memory}. The caller keeps that memory alive until the call has returned.
     */
    void prepare(int index, MemorySegment memory, long offset, long length) {
        vector.set(index, memory, offset, length);
        messages.set(ValueLayout.JAVA_INT, at(index) + Msghdr.NAME_BYTES, nameBytes);
        messages.set(ValueLayout.JAVA_LONG, at(index) + Msghdr.CONTROL_BYTES, controlBytes);
    }

    /** Returns the number of received bytes. */
    public int length(int index) {
        return messages.get(ValueLayout.JAVA_INT, at(index) + LENGTH);
    }

    /** Returns true if the message was truncated. */
    public boolean isTruncated(int index) {
        return (messages.get(ValueLayout.JAVA_INT, at(index) + Msghdr.FLAGS) & TRUNCATED) != 0;
    }

    /** Returns the offset in {@link #controls} of the ancillary data of one kind, or {@link #NONE}. */
    public long control(int index, int level, int type) {
        long at = controlAt(index);
        long end = at + messages.get(ValueLayout.JAVA_LONG, at(index) + Msghdr.CONTROL_BYTES);
        while (at + Msghdr.CMSG_BYTES <= end) {
            long length = controls.get(ValueLayout.JAVA_LONG, at + Msghdr.CMSG_LENGTH);
            if (length < Msghdr.CMSG_BYTES) {
                return NONE;
            }
            if (controls.get(ValueLayout.JAVA_INT, at + Msghdr.CMSG_LEVEL) == level
                    && controls.get(ValueLayout.JAVA_INT, at + Msghdr.CMSG_TYPE) == type) {
                return at + Msghdr.CMSG_BYTES;
            }
            at += (length + Long.BYTES - 1) & -Long.BYTES;
        }
        return NONE;
    }
}
