// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.linux;

import io.rdma4j.linux.call.Kernel;
import io.rdma4j.linux.call.Libc;
import io.rdma4j.linux.call.LinuxError;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/**
 * Reports that an interface of this machine has changed ({@code rtnetlink(7)}, group {@code RTMGRP_LINK}). The caller
 * reads the new state itself. For one thread at a time.
 */
final class LinkMonitor implements AutoCloseable {
    private static final short AF_NETLINK = 16;
    private static final int NETLINK_ROUTE = 0;
    private static final int RTMGRP_LINK = 1;

    // struct sockaddr_nl
    private static final int ADDRESS_BYTES = 12;
    private static final int GROUPS = 8;

    /** A truncated message is sufficient: only its arrival counts. */
    private static final int MESSAGE_BYTES = 64;

    private final Libc libc = new Libc();
    private final MemorySegment message = Arena.ofAuto().allocate(MESSAGE_BYTES);
    private final int socket;

    /** @param device for error messages */
    LinkMonitor(String device) {
        String advice = "this process has too many files open, or may not use netlink";
        int type = Kernel.SOCK_RAW | Kernel.NONBLOCK | Kernel.CLOEXEC;
        socket = LinuxError.check(libc.socket(AF_NETLINK, type, NETLINK_ROUTE), device, "netlink socket", advice);
        MemorySegment address = Arena.ofAuto().allocate(ADDRESS_BYTES, Integer.BYTES);
        address.set(ValueLayout.JAVA_SHORT, 0, AF_NETLINK);
        address.set(ValueLayout.JAVA_INT, GROUPS, RTMGRP_LINK);
        LinuxError.check(libc.bind(socket, address), device, "bind of a netlink socket", advice);
    }

    /** Returns the descriptor, which is readable after a change. */
    int descriptor() {
        return socket;
    }

    /** Returns true if an interface has changed since the last call. An overflow of the queue counts as a change. */
    boolean hasChanged() {
        boolean changed = false;
        long result = libc.recv(socket, message, 0);
        while (result >= 0 || result == LinuxError.ENOBUFS) {
            changed = true;
            result = libc.recv(socket, message, 0);
        }
        return changed;
    }

    @Override
    public void close() {
        libc.close(socket);
    }
}
