package io.rdma4j.verbs;

import io.rdma4j.base.Errno;
import io.rdma4j.base.RdmaException;
import io.rdma4j.verbs.spi.ContextEvents;
import io.rdma4j.verbs.spi.ContextOps;
import io.rdma4j.verbs.spi.DeviceOps;
import io.rdma4j.verbs.spi.DeviceServer;
import io.rdma4j.verbs.spi.FoundDevice;
import java.net.Inet6Address;
import java.net.InetAddress;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Opens a device, which other processes may want as well. A device that one process at a time can have belongs to the first that
 * opens it: that one serves it, the others reach it through the entry in the run directory. When the owner ends, the next that
 * opens the device becomes the owner. Any thread.
 */
final class DeviceShare {
    /**
     * How long a process that finds the address taken waits for the entry of the process that has it. On a busy machine a JVM that has just
     * started takes seconds from binding the address to serving it.
     */
    private static final Duration PATIENCE = Duration.ofSeconds(10);

    private static final Duration PAUSE = Duration.ofMillis(50);

    private final Device device;
    private final DeviceOps ops;

    /** Contexts of this process on its own device, for which it is served. */
    private int users;

    private DeviceServer.@Nullable Service service;

    DeviceShare(Device device, DeviceOps ops) {
        this.device = device;
        this.ops = ops;
    }

    /** What a context is opened for. */
    enum Purpose {
        /** To work with it: on the own device, which is served from then on, or on another process's. */
        USE,
        /** To look at it: the same without serving it. */
        QUERY,
        /** For the client of a server of this process: on the own device, which is served already. */
        CLIENT
    }

    /**
     * A device that was opened.
     *
     * @param ops what the core makes a context of
     * @param served true if it is an own device that is served for this context
     * @param way how others reach it, or how this process does, for people; empty if that is nobody's concern
     */
    record Opening(ContextOps ops, boolean served, String way) {}

    /** @throws RdmaException EADDRINUSE if a program has the address that does not serve the device; whatever keeps it from opening */
    Opening open(Purpose purpose, ContextEvents events) {
        if (purpose == Purpose.CLIENT || !ops.isExclusive() || !device.host().sharesDevices()) {
            return new Opening(ops.open(events), false, "");
        }
        long endNs = System.nanoTime() + PATIENCE.toNanos();
        while (true) {
            Opening reached = isServedHere() ? null : reach(events);
            if (reached != null) {
                return reached;
            }
            try {
                ContextOps own = ops.open(events);
                return purpose == Purpose.USE ? serve(own) : new Opening(own, false, "");
            } catch (RdmaException e) {
                if (e.errno() != Errno.EADDRINUSE) {
                    throw e;
                }
                if (System.nanoTime() - endNs >= 0 || !pause()) {
                    throw taken(e);
                }
            }
        }
    }

    private synchronized boolean isServedHere() {
        return users > 0;
    }

    /** Null if no process serves it, or that one has just ended. */
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

    /** A context is closed that it was served for; with the last one, clients of this process see the device go. */
    void closed() {
        DeviceServer.Service serving = null;
        synchronized (this) {
            users--;
            if (users == 0) {
                serving = service;
                service = null;
            }
        }
        if (serving != null) {
            serving.close();
        }
    }

    /** False if the thread is interrupted: then it does not wait any longer. */
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
