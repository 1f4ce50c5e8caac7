// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.verbs;

import io.rdma4j.base.Errno;
import io.rdma4j.base.RdmaException;
import io.rdma4j.verbs.local.OpeningMark;
import io.rdma4j.verbs.spi.ContextEvents;
import io.rdma4j.verbs.spi.ContextOps;
import io.rdma4j.verbs.spi.DeviceOps;
import io.rdma4j.verbs.spi.FoundDevice;
import java.net.Inet6Address;
import java.net.InetAddress;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Opens a device that several processes may use. A device that only one process can open belongs to the first process
 * that opens it. The owner serves it; other processes reach it through its entry in the run directory. When the owner
 * ends, the process that opens the device next becomes the owner. Any thread.
 */
final class DeviceShare {
    /**
     * Maximum time that a process waits while another one opens, closes or queries the device ({@link OpeningMark}). On
     * a busy machine a JVM that has just started takes seconds from binding the address to serving it.
     */
    private static final Duration TIMEOUT = Duration.ofSeconds(10);

    /**
     * Maximum number of attempts in sequence without such a mark. More than one, because an owner that was killed frees
     * the address and the entry one after the other, and because another process may have removed its mark, and serve
     * the device, after this process did not find it served.
     */
    private static final int UNMARKED_ATTEMPTS = 10;

    private static final Duration PAUSE = Duration.ofMillis(50);

    private final Device device;
    private final DeviceOps ops;

    /** Number of contexts of this process on its own device for which the device is served. */
    private int users;

    private DeviceServer.@Nullable Service service;

    DeviceShare(Device device, DeviceOps ops) {
        this.device = device;
        this.ops = ops;
    }

    /** Purpose of an opening. */
    enum Purpose {
        /** To use the device: either the device of this process, which is then served, or that of another process. */
        USE,
        /** To query the device: as {@link #USE}, but the device is not served. */
        QUERY,
        /** For a client of a server in this process: on the device of this process, which is served already. */
        CLIENT
    }

    /**
     * The result of an opening.
     *
     * @param ops the provider's operations of the context
     * @param served true if the device of this process is served for this context
     * @param way description for log messages how other processes reach the device, or how this process does; may be
     *     empty
     * @param mark removed when the context is closed; null if there is none
     */
    record Opening(
            ContextOps ops,
            boolean served,
            String way,
            @Nullable OpeningMark mark) {
        Opening(ContextOps ops, boolean served, String way) {
            this(ops, served, way, null);
        }
    }

    /**
     * @throws RdmaException EADDRINUSE if a program uses the address and does not serve the device; errors of the
     *     provider
     */
    Opening open(Purpose purpose, ContextEvents events) {
        if (purpose == Purpose.CLIENT || !ops.isExclusive() || !device.host().sharesDevices()) {
            return new Opening(ops.open(events), false, "");
        }
        long startNs = System.nanoTime();
        int unmarked = 0;
        while (true) {
            Opening reached = isServedHere() ? null : reach(events);
            if (reached != null) {
                return reached;
            }
            try {
                return openOwn(purpose, events);
            } catch (RdmaException e) {
                if (e.errno() != Errno.EADDRINUSE) {
                    throw e;
                }
                unmarked = OpeningMark.isAny(device.host().runDirectory()) ? 0 : unmarked + 1;
                boolean ended = unmarked >= UNMARKED_ATTEMPTS || System.nanoTime() - startNs >= TIMEOUT.toNanos();
                if (ended || !pause()) {
                    throw taken(e);
                }
            }
        }
    }

    /** Opens the device of this process. The mark lasts until the device is served; if it is queried, until closed. */
    private Opening openOwn(Purpose purpose, ContextEvents events) {
        boolean serves = purpose == Purpose.USE;
        OpeningMark mark = OpeningMark.place(device.host().runDirectory(), serves);
        boolean lasts = false;
        try {
            ContextOps own = ops.open(events);
            lasts = !serves;
            return serves ? serve(own) : new Opening(own, false, "", mark);
        } finally {
            if (!lasts) {
                mark.close();
            }
        }
    }

    private synchronized boolean isServedHere() {
        return users > 0;
    }

    /** Opens the device through the process that serves it. Null if no process does, or that process has just ended. */
    private @Nullable Opening reach(ContextEvents events) {
        Map.Entry<FoundDevice, DeviceOps> found = device.host().serving(ops);
        if (found == null) {
            return null;
        }
        try {
            FoundDevice served = found.getKey();
            return new Opening(
                    found.getValue().open(events),
                    false,
                    "reached through " + served.path() + ", which process "
                            + served.server().pid() + " (" + served.server().comm() + ") serves");
        } catch (RdmaException e) {
            if (e.errno() == Errno.ECONNREFUSED || e.errno() == Errno.EIO) {
                return null;
            }
            throw e;
        }
    }

    private synchronized Opening serve(ContextOps own) {
        users++;
        DeviceServer.Service serving = service;
        if (serving == null) {
            DeviceServer server = device.host().deviceServer();
            if (server == null) {
                return new Opening(own, true, "not served to other processes: no module of this program can");
            }
            try {
                serving = server.serve(device, device.host().runDirectory());
                service = serving;
            } catch (RdmaException e) {
                return new Opening(own, true, "not served to other processes: " + e.getMessage());
            }
        }
        return new Opening(own, true, "served at " + serving.entry());
    }

    synchronized void addressesChanged() {
        DeviceServer.Service serving = service;
        if (serving != null) {
            serving.addressesChanged();
        }
    }

    /**
     * Handles that a context was closed. After the last one that is served, the service ends, and clients in other
     * processes see the removal of the device.
     */
    void closed(Opening opening) {
        OpeningMark mark = opening.mark();
        if (mark != null) {
            mark.close();
        }
        if (opening.served()) {
            closedServed();
        }
    }

    private void closedServed() {
        DeviceServer.Service serving = null;
        synchronized (this) {
            users--;
            if (users == 0) {
                serving = service;
                service = null;
            }
        }
        if (serving != null) {
            try (OpeningMark _ = OpeningMark.place(device.host().runDirectory(), false)) {
                serving.close();
            }
        }
    }

    /** Waits before the next attempt; false if the thread is interrupted. */
    private static boolean pause() {
        LockSupport.parkNanos(PAUSE.toNanos());
        return !Thread.currentThread().isInterrupted();
    }

    private RdmaException taken(RdmaException cause) {
        String where = ops.endpoints().stream()
                .map(endpoint -> endpoint.getAddress().getHostAddress())
                .collect(Collectors.joining(", "));
        int port = ops.endpoints().getFirst().getPort();
        InetAddress first = ops.endpoints().getFirst().getAddress();
        String example = first instanceof Inet6Address ? "[" + first.getHostAddress() + "]" : first.getHostAddress();
        return new RdmaException(
                Errno.EADDRINUSE,
                "UDP port " + port + " of " + where + " is taken by a program that does not serve " + device
                        + " to this process: the kernel's rdma_rxe (rdma link), another user's process, or one whose"
                        + " run directory is not "
                        + device.host().runDirectory().root()
                        + ". End it, or use another port on all machines, for example RDMA4J_DEVICES=" + device
                        + "=udp:" + example + ":" + (port + 1),
                cause);
    }
}
