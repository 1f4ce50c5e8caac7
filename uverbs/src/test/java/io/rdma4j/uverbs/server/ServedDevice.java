// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.uverbs.server;

import io.rdma4j.rxe.DeviceSpec;
import io.rdma4j.rxe.RxeOptions;
import io.rdma4j.rxe.RxeProvider;
import io.rdma4j.uverbs.client.UverbsDriver;
import io.rdma4j.verbs.Device;
import io.rdma4j.verbs.Host;
import io.rdma4j.verbs.local.RunDirectory;
import io.rdma4j.verbs.spi.Provider;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;

/** A device of one host that is served to another host. Both hosts are in this JVM and act as two processes. */
final class ServedDevice implements AutoCloseable {
    private static final AtomicInteger LAST_ADDRESS = new AtomicInteger();

    final Host far = Host.create("server");
    final RunDirectory directory;
    final Device device;
    final UverbsServer server;
    final Host near;

    ServedDevice(Path folder, int abiVersion) {
        this(folder, abiVersion, new RxeProvider(List.of(spec()), RxeOptions.DEFAULT));
    }

    ServedDevice(Path folder, SessionLimits limits) {
        this(folder, UverbsServer.ABI_VERSION, new RxeProvider(List.of(spec()), RxeOptions.DEFAULT), limits);
    }

    ServedDevice(Path folder, int abiVersion, Provider provider) {
        this(folder, abiVersion, provider, SessionLimits.DEFAULT);
    }

    private ServedDevice(Path folder, int abiVersion, Provider provider, SessionLimits limits) {
        directory = new RunDirectory(folder);
        far.register(provider);
        device = far.devices().getFirst();
        server = UverbsServer.open(device, directory, abiVersion, limits);
        near = client(directory);
    }

    /** A host that has only the run directory and the driver. */
    static Host client(RunDirectory directory) {
        Host host = Host.create("client", directory);
        host.register(new UverbsDriver());
        return host;
    }

    /** A device on a loopback address that only this process uses. */
    static DeviceSpec spec() {
        long pid = ProcessHandle.current().pid();
        return DeviceSpec.parse("rxe0=udp:127." + (1 + (pid >> 8) % 254) + "." + (pid & 0xFF) + "."
                + (10 + LAST_ADDRESS.getAndIncrement() % 200));
    }

    @Override
    public void close() {
        server.close();
        near.close();
        far.close();
    }
}
