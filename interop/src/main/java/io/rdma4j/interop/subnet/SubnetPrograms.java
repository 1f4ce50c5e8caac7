// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.interop.subnet;

import io.rdma4j.interop.lab.DebianPrograms;
import io.rdma4j.interop.lab.LabException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/**
 * OpenSM, infiniband-diags, ibsim and its preload library: files of Debian's packages in a directory of the user's
 * cache. Nothing is installed.
 *
 * @param directory where they are
 */
public record SubnetPrograms(Path directory) {
    private static final List<String> PACKAGES = List.of("opensm", "infiniband-diags", "libumad2sim0", "ibsim-utils");

    private static final String LIBRARIES = "LD_LIBRARY_PATH";

    /** Written last. */
    private static final String COMPLETE = "complete";

    /** {@return the directory of this user, which may not exist yet} */
    public static SubnetPrograms ofUser() {
        return new SubnetPrograms(DebianPrograms.directory().resolveSibling("subnet-programs"));
    }

    /** {@return true if nothing is to be downloaded} */
    public boolean isComplete() {
        return Files.exists(directory.resolve(COMPLETE)) && Files.exists(simulator());
    }

    /**
     * Downloads and unpacks the packages.
     *
     * @param limit maximum duration of a download
     */
    public void unpack(Duration limit) throws IOException {
        DebianPrograms.unpack(PACKAGES, directory, limit);
        Files.writeString(directory.resolve(COMPLETE), "");
    }

    Path simulator() {
        return directory.resolve("usr/bin/ibsim");
    }

    Path program(String name) {
        return directory.resolve("usr/sbin").resolve(name);
    }

    private Path libraryDirectory() throws IOException {
        try (Stream<Path> files = Files.list(directory.resolve("usr/lib"))) {
            return files.filter(file -> file.getFileName().toString().endsWith("-linux-gnu"))
                    .findFirst()
                    .orElseThrow(() -> new LabException("no libraries below " + directory));
        }
    }

    /** The variables of a program that finds its libraries in the directory. */
    Map<String, String> libraries() throws IOException {
        return Map.of(LIBRARIES, libraryDirectory().toString());
    }

    /**
     * The variables of a program at a node.
     *
     * @param port of the umad2sim server
     * @param node name of the node
     */
    Map<String, String> environment(int port, String node) throws IOException {
        Path preload = libraryDirectory().resolve("umad2sim/libumad2sim.so");
        return Map.of(
                "LD_PRELOAD",
                preload.toString(),
                LIBRARIES,
                libraryDirectory().toString(),
                "IBSIM_SERVER_NAME",
                "127.0.0.1",
                "IBSIM_SERVER_PORT",
                Integer.toString(port),
                "SIM_HOST",
                node);
    }
}
