package io.rdma4j.uverbs.server;

import io.rdma4j.testing.conformance.Capability;
import io.rdma4j.testing.conformance.ConformanceTarget;
import io.rdma4j.verbs.Context;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.EnumSet;
import java.util.Set;

/** Two devices, each served by a server of its own, and a client of each. */
final class ServedTarget implements ConformanceTarget {
    private final Path firstFolder = folder();
    private final Path secondFolder = folder();
    private final ServedDevice firstDevice = new ServedDevice(firstFolder, UverbsServer.ABI_VERSION);
    private final ServedDevice secondDevice = new ServedDevice(secondFolder, UverbsServer.ABI_VERSION);
    private final Context first = firstDevice.near.open("rxe0");
    private final Context second = secondDevice.near.open("rxe0");

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
        return EnumSet.complementOf(EnumSet.of(Capability.RAW_FRAMES));
    }

    /** Whoever lets a device go lets the server's context go, too: its host closes only without any. */
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
