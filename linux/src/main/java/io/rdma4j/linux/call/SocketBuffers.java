// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.linux.call;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/** Sets the buffer sizes of sockets. */
public final class SocketBuffers {
    private static final int SOL_SOCKET = 1;
    private static final int SO_SNDBUF = 7;
    private static final int SO_RCVBUF = 8;
    private static final int SO_SNDBUFFORCE = 32;
    private static final int SO_RCVBUFFORCE = 33;

    private SocketBuffers() {}

    /**
     * Requests {@code bytes} for each buffer. Without CAP_NET_ADMIN the system limits them ({@code net.core.rmem_max},
     * {@code net.core.wmem_max}).
     */
    public static void enlarge(Libc libc, int fd, int bytes) {
        MemorySegment wanted = Arena.ofAuto().allocate(ValueLayout.JAVA_INT);
        wanted.set(ValueLayout.JAVA_INT, 0, bytes);
        if (libc.setsockopt(fd, SOL_SOCKET, SO_RCVBUFFORCE, wanted) < 0) {
            libc.setsockopt(fd, SOL_SOCKET, SO_RCVBUF, wanted);
        }
        if (libc.setsockopt(fd, SOL_SOCKET, SO_SNDBUFFORCE, wanted) < 0) {
            libc.setsockopt(fd, SOL_SOCKET, SO_SNDBUF, wanted);
        }
    }
}
