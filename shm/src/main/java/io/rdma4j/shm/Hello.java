// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.shm;

import io.rdma4j.base.Gid;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import org.jspecify.annotations.Nullable;

/**
 * The first message on a connection. The process that connects sends it.
 *
 * <pre>
 *   0  magic number and version (64)
 *   8  number of the sender's network namespace (64)
 *  16  address of the sender (128)
 *  32  address of the receiver (128)
 *  48  UDP port of the sender (32)
 *  52  number of the file with the rings, which the sender created (32)
 *  56  owner number of the sender (64)
 * </pre>
 */
record Hello(long namespace, Gid from, Gid to, int port, int ring, long owner) {
    static final int BYTES = 64;

    /** "rdma4j", a zero byte, and the version of this message and of {@link RingLayout}. */
    private static final long MAGIC = 0x7264_6D61_346A_0006L;

    private static final int MAX_PORT = 0xFFFF;

    /** @throws IOException if the connection is broken or its buffer is full */
    void send(SocketChannel to) throws IOException {
        ByteBuffer message = ByteBuffer.allocate(BYTES)
                .putLong(MAGIC)
                .putLong(namespace)
                .putLong(from.prefix())
                .putLong(from.interfaceId())
                .putLong(this.to.prefix())
                .putLong(this.to.interfaceId())
                .putInt(port)
                .putInt(ring)
                .putLong(owner)
                .flip();
        // The send buffer of a new connection always has room for the message.
        if (to.write(message) != BYTES) {
            throw new IOException("the peer takes no message");
        }
    }

    /** Parses a complete message; returns null if it is invalid. */
    static @Nullable Hello read(ByteBuffer message) {
        if (message.getLong() != MAGIC) {
            return null;
        }
        Hello hello = new Hello(
                message.getLong(),
                new Gid(message.getLong(), message.getLong()),
                new Gid(message.getLong(), message.getLong()),
                message.getInt(),
                message.getInt(),
                message.getLong());
        return hello.port < 1 || hello.port > MAX_PORT || hello.ring < 0 ? null : hello;
    }
}
