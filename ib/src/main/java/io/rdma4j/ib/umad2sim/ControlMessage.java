// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.ib.umad2sim;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;

/**
 * A control message: 80 bytes, little-endian. The answer is the request with its data filled in.
 *
 * <pre>
 *  0 magic │ 4 client │ 8 type │ 12 length of the data │ 16 data
 * </pre>
 */
final class ControlMessage {
    static final int BYTES = 80;
    static final int DATA = 16;
    static final int DATA_BYTES = BYTES - DATA;

    static final int CONNECT = 1;
    static final int DISCONNECT = 2;
    static final int GET_PORT = 3;
    static final int GET_VENDOR = 4;
    static final int GET_GID = 5;
    static final int GET_GUID = 6;
    static final int GET_NODE_INFO = 7;
    static final int GET_PORT_INFO = 8;
    static final int SET_IS_SM = 9;
    static final int GET_PKEYS = 10;
    /** The type of an answer to a request that failed. */
    static final int ERROR = 0;

    private static final int MAGIC = 0xDEADBEEF;
    private static final int CLIENT_AT = 4;
    private static final int TYPE_AT = 8;
    private static final int LENGTH_AT = 12;
    private static final int NAME_AT = DATA + 12;
    private static final int NAME_BYTES = 32;
    private static final ValueLayout.OfInt INT = ValueLayout.JAVA_INT_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);

    private ControlMessage() {}

    static boolean isValid(MemorySegment message) {
        return message.byteSize() == BYTES && message.get(INT, 0) == MAGIC;
    }

    static void begin(MemorySegment message, int client, int type) {
        message.fill((byte) 0);
        message.set(INT, 0, MAGIC);
        message.set(INT, CLIENT_AT, client);
        type(message, type);
        message.set(INT, LENGTH_AT, DATA_BYTES);
    }

    static int client(MemorySegment message) {
        return message.get(INT, CLIENT_AT);
    }

    static int type(MemorySegment message) {
        return message.get(INT, TYPE_AT);
    }

    static void type(MemorySegment message, int type) {
        message.set(INT, TYPE_AT, type);
    }

    /** Returns a word of the data. */
    static int word(MemorySegment message, int index) {
        return message.get(INT, DATA + (long) index * Integer.BYTES);
    }

    static void word(MemorySegment message, int index, int value) {
        message.set(INT, DATA + (long) index * Integer.BYTES, value);
    }

    static MemorySegment data(MemorySegment message) {
        return message.asSlice(DATA, DATA_BYTES);
    }

    // Of a request to connect: the number of the client's data socket, its queue pair, IsSM, and the name of a node

    /** Returns the name, which ends at the first zero byte. */
    static String name(MemorySegment message) {
        byte[] bytes = message.asSlice(NAME_AT, NAME_BYTES).toArray(ValueLayout.JAVA_BYTE);
        int length = 0;
        while (length < NAME_BYTES && bytes[length] != 0) {
            length++;
        }
        return new String(bytes, 0, length, StandardCharsets.UTF_8);
    }

    /** Writes a name, cut to 31 bytes. */
    static void name(MemorySegment message, String name) {
        byte[] bytes = name.getBytes(StandardCharsets.UTF_8);
        MemorySegment field = message.asSlice(NAME_AT, NAME_BYTES).fill((byte) 0);
        MemorySegment.copy(bytes, 0, field, ValueLayout.JAVA_BYTE, 0, Math.min(bytes.length, NAME_BYTES - 1));
    }
}
