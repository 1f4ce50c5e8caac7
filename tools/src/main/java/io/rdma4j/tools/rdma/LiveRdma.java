// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.tools.rdma;

import io.rdma4j.base.Errno;
import io.rdma4j.base.RdmaException;
import io.rdma4j.netlab.command.rdma.RdmaSystem;
import io.rdma4j.uverbs.client.UverbsDriver;
import io.rdma4j.verbs.Device;
import io.rdma4j.verbs.Host;
import io.rdma4j.verbs.values.Resource;
import java.net.InetAddress;
import java.net.NetworkInterface;
import java.net.SocketException;
import java.time.Duration;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** The devices that processes of this user serve in this network namespace. One thread. */
final class LiveRdma implements RdmaSystem, AutoCloseable {
    private static final String TYPE = "rxe";
    private static final Duration TIMEOUT = Duration.ofSeconds(30);
    private static final Duration PAUSE = Duration.ofMillis(20);

    private final Host host = Host.create("rdma");

    private final Supplier<List<String>> tools;

    /** @param tools the command line that starts a tool, without the name of the tool */
    LiveRdma(Supplier<List<String>> tools) {
        this.tools = tools;
        host.register(new UverbsDriver());
    }

    @Override
    public List<Device> devices() {
        return host.devices().stream()
                .sorted(Comparator.comparing(Device::name))
                .toList();
    }

    @Override
    public @Nullable Netdev netdev(Device device) {
        for (InetAddress address : device.addresses()) {
            try {
                NetworkInterface found = NetworkInterface.getByInetAddress(address);
                if (found != null) {
                    return new Netdev(found.getName(), found.getIndex());
                }
            } catch (SocketException _) {
                return null;
            }
        }
        return null;
    }

    @Override
    public List<Resource> resources(Device device) {
        return device.resourcesOfAllProcesses();
    }

    /** Starts a process that serves the device until it is deleted. */
    @Override
    public void addLink(String name, String type, String netdev) {
        if (!type.equals(TYPE)) {
            throw new RdmaException(Errno.EINVAL, "there is no link type \"" + type + "\"; there is " + TYPE);
        }
        if (isThere(name)) {
            throw new RdmaException(Errno.EEXIST, "there is a device \"" + name + "\" already");
        }
        LinkProcess process = LinkProcess.start(tools.get(), name, netdev);
        long endNs = System.nanoTime() + TIMEOUT.toNanos();
        while (!isThere(name)) {
            if (!process.isAlive()) {
                throw new RdmaException(Errno.EIO, process.complaint());
            }
            if (System.nanoTime() - endNs > 0) {
                throw new RdmaException(
                        Errno.ETIMEDOUT,
                        "process " + process.pid() + " has not served " + name + " within " + TIMEOUT.toSeconds()
                                + " seconds; see " + process.log());
            }
            pause();
        }
    }

    private boolean isThere(String name) {
        return host.devices().stream().anyMatch(device -> device.name().equals(name));
    }

    @Override
    public void deleteLink(String name) {
        host.deleteLink(name);
        long endNs = System.nanoTime() + TIMEOUT.toNanos();
        while (isThere(name) && System.nanoTime() - endNs < 0) {
            pause();
        }
    }

    private static void pause() {
        LockSupport.parkNanos(PAUSE.toNanos());
        if (Thread.currentThread().isInterrupted()) {
            throw new RdmaException(Errno.EAGAIN, "interrupted while waiting for another process");
        }
    }

    @Override
    public void close() {
        host.close();
    }
}
