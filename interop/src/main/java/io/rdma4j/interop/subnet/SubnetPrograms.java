// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.interop.subnet;

import io.rdma4j.interop.lab.DebianPrograms;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/**
 * OpenSM, infiniband-diags and the preload library of ibsim: files of Debian's packages in a directory of the user's
 * cache. Nothing is installed.
 *
 * @param directory where they are
 */
public record SubnetPrograms(Path directory) {
    private static final List<String> PACKAGES = List.of("opensm", "infiniband-diags", "libumad2sim0");

    /** Written last. */
    private static final String COMPLETE = "complete";

    /** {@return the directory of this user, which may not exist yet} */
    public static SubnetPrograms ofUser() {
        return new SubnetPrograms(DebianPrograms.directory().resolveSibling("subnet-programs"));
    }

    /** {@return true if nothing is to be downloaded} */
    public boolean isComplete() {
        return Files.exists(directory.resolve(COMPLETE));
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

    Path program(String name) {
        return directory.resolve("usr/sbin").resolve(name);
    }

    /**
     * The variables of a program at a node.
     *
     * @param port of the umad2sim server
     * @param node name of the node
     */
    Map<String, String> environment(int port, String node) throws IOException {
        List<Path> libraries = new ArrayList<>();
        try (Stream<Path> files = Files.list(directory.resolve("usr/lib"))) {
            files.filter(file -> file.getFileName().toString().endsWith("-linux-gnu"))
                    .forEach(libraries::add);
        }
        Path preload = libraries.getFirst().resolve("umad2sim/libumad2sim.so");
        return Map.of(
                "LD_PRELOAD", preload.toString(),
                "LD_LIBRARY_PATH", libraries.getFirst().toString(),
                "IBSIM_SERVER_NAME", "127.0.0.1",
                "IBSIM_SERVER_PORT", Integer.toString(port),
                "SIM_HOST", node);
    }
}
