package io.rdma4j.net.linux;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/**
 * An array of {@code struct mmsghdr}, for calls that receive many messages at once: each message has one piece of memory for what comes, and,
 * if wanted, room for the sender's address and for ancillary data ({@code cmsg(3)}). Allocates nothing after the constructor.
 */
final class MessageBatch {
    /** Of {@link #control}: there is none of that kind. */
    static final int NONE = -1;

    /** The piece of memory was too small ({@code MSG_TRUNC}). */
    private static final int TRUNCATED = 0x20;

    // struct mmsghdr
    private static final int BYTES = 64;
    private static final int NAME = 0;
    private static final int NAME_BYTES = 8;
    private static final int VECTOR = 16;
    private static final int VECTOR_LENGTH = 24;
    private static final int CONTROL = 32;
    private static final int CONTROL_BYTES = 40;
    private static final int FLAGS = 48;
    private static final int LENGTH = 56;

    // struct cmsghdr
    private static final int CMSG_BYTES = 16;
    private static final int CMSG_LEVEL = 8;
    private static final int CMSG_TYPE = 12;

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
            messages.set(ValueLayout.JAVA_LONG, at + NAME, nameBytes == 0 ? 0 : names.address() + nameAt(i));
            messages.set(ValueLayout.JAVA_LONG, at + VECTOR, vector.address(i));
            messages.set(ValueLayout.JAVA_LONG, at + VECTOR_LENGTH, 1);
            messages.set(
                    ValueLayout.JAVA_LONG, at + CONTROL, controlBytes == 0 ? 0 : controls.address() + controlAt(i));
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

    /** How many messages. */
    int count() {
        return count;
    }

    /** For the call. */
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
        messages.set(ValueLayout.JAVA_INT, at(index) + NAME_BYTES, nameBytes);
        messages.set(ValueLayout.JAVA_LONG, at(index) + CONTROL_BYTES, controlBytes);
    }

    /** Bytes that were received. */
    int length(int index) {
        return messages.get(ValueLayout.JAVA_INT, at(index) + LENGTH);
    }

    /** True if there were more, which are lost. */
    boolean isTruncated(int index) {
        return (messages.get(ValueLayout.JAVA_INT, at(index) + FLAGS) & TRUNCATED) != 0;
    }

    /** Where in {@link #controls} the ancillary data of one kind are, or {@link #NONE}. */
    long control(int index, int level, int type) {
        long at = controlAt(index);
        long end = at + messages.get(ValueLayout.JAVA_LONG, at(index) + CONTROL_BYTES);
        while (at + CMSG_BYTES <= end) {
            long length = controls.get(ValueLayout.JAVA_LONG, at);
            if (length < CMSG_BYTES) {
                return NONE;
            }
            if (controls.get(ValueLayout.JAVA_INT, at + CMSG_LEVEL) == level
                    && controls.get(ValueLayout.JAVA_INT, at + CMSG_TYPE) == type) {
                return at + CMSG_BYTES;
            }
            at += (length + Long.BYTES - 1) & -Long.BYTES;
        }
        return NONE;
    }
}
