// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.uverbs.server;

import io.rdma4j.rxe.RxeOptions;
import io.rdma4j.rxe.RxeProvider;
import io.rdma4j.testing.conformance.harness.Capability;
import io.rdma4j.testing.conformance.harness.ConformanceTarget;
import io.rdma4j.verbs.Context;
import io.rdma4j.verbs.spi.Provider;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;

/** Two devices with a server each, and a client of each. */
final class ServedTarget implements ConformanceTarget {
    private final Path firstFolder = folder();
    private final Path secondFolder = folder();
    private final ServedDevice firstDevice;
    private final ServedDevice secondDevice;
    private final Context first;
    private final Context second;
    private final Set<Capability> capabilities;

    /** Uses devices over UDP sockets. */
    ServedTarget() {
        this(
                new RxeProvider(List.of(ServedDevice.spec()), RxeOptions.DEFAULT),
                new RxeProvider(List.of(ServedDevice.spec()), RxeOptions.DEFAULT),
                EnumSet.complementOf(EnumSet.of(Capability.RAW_FRAMES)));
    }

    private ServedTarget(Provider firstProvider, Provider secondProvider, Set<Capability> capabilities) {
        this.firstDevice = new ServedDevice(firstFolder, UverbsServer.ABI_VERSION, firstProvider);
        this.secondDevice = new ServedDevice(secondFolder, UverbsServer.ABI_VERSION, secondProvider);
        this.first = firstDevice.near.open("rxe0");
        this.second = secondDevice.near.open("rxe0");
        this.capabilities = capabilities;
    }

    /** Uses devices over links that carry raw frames. */
    static ServedTarget withRawFrames(Provider first, Provider second) {
        return new ServedTarget(first, second, EnumSet.allOf(Capability.class));
    }

    private static Path folder() {
        try {
            return Files.createTempDirectory("uverbs");
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Override
    public Context first() {
        return first;
    }

    @Override
    public Context second() {
        return second;
    }

    @Override
    public MemorySegment allocate(long lengthBytes, long alignment) {
        return first.allocateBuffer(lengthBytes, alignment, Arena.ofAuto());
    }

    @Override
    public Set<Capability> capabilities() {
        return capabilities;
    }

    /**
     * Closes the clients first, which also closes their contexts on the servers; a host with open contexts cannot be
     * closed.
     */
    @Override
    public void close() {
        first.close();
        second.close();
        firstDevice.close();
        secondDevice.close();
        delete(firstFolder);
        delete(secondFolder);
    }

    private static void delete(Path folder) {
        try {
            Files.delete(folder.resolve("abi_version"));
            Files.delete(folder);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
