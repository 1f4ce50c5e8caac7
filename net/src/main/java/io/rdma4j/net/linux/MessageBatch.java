package io.rdma4j.net.linux;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/**
 * An array of {@code struct mmsghdr}, for calls that receive many messages at once: each message has one piece of memory for what comes, and,
 * if wanted, room for the sender's address and for ancillary data ({@code cmsg(3)}). Allocates nothing after the constructor.
 */
final class MessageBatch {
    /** What {@link #control} answers if there are no ancillary data of that kind. */
    static final int NONE = -1;

    /** The flag of a message that was longer than its memory ({@code MSG_TRUNC}). */
    private static final int TRUNCATED = 0x20;

    // struct mmsghdr: a struct msghdr and how much was received
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
     * @param count of messages
     * @param nameBytes for the sender's address, a multiple of 8; 0 for none
     * @param controlBytes for ancillary data, headers included, a multiple of 8; 0 for none
     */
    MessageBatch(int count, int nameBytes, int controlBytes) {
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

    /** Where the address of message {@code index} is in {@link #names}. */
    long nameAt(int index) {
        return (long) index * nameBytes;
    }

    private long controlAt(int index) {
        return (long) index * controlBytes;
    }

    /** How many messages one call may receive. */
    int count() {
        return count;
    }

    /** The array that the call is given. */
    MemorySegment messages() {
        return messages;
    }

    /** The addresses. */
    MemorySegment names() {
        return names;
    }

    /** The ancillary data, where {@link #control} points into. */
    MemorySegment controls() {
        return controls;
    }

    /** Lets message {@code index} be received to {@code length} bytes from {@code offset} of {@code memory}, which must live that long. */
    void prepare(int index, MemorySegment memory, long offset, long length) {
        vector.set(index, memory, offset, length);
        messages.set(ValueLayout.JAVA_INT, at(index) + Msghdr.NAME_BYTES, nameBytes);
        messages.set(ValueLayout.JAVA_LONG, at(index) + Msghdr.CONTROL_BYTES, controlBytes);
    }

    /** Bytes that were received. */
    int length(int index) {
        return messages.get(ValueLayout.JAVA_INT, at(index) + LENGTH);
    }

    /** True if there were more, which are lost. */
    boolean isTruncated(int index) {
        return (messages.get(ValueLayout.JAVA_INT, at(index) + Msghdr.FLAGS) & TRUNCATED) != 0;
    }

    /** Where in {@link #controls} the ancillary data of one kind are, or {@link #NONE}. */
    long control(int index, int level, int type) {
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
