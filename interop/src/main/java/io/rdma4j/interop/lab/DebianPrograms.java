// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.interop.lab;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;

/** Programs of Debian packages in a directory, for users who may or will not install them. */
public final class DebianPrograms {
    private DebianPrograms() {}

    /** Where {@code ./rdma4j run} looks for programs: below the user's cache directory. */
    public static Path directory() {
        return GuestImage.userCache().resolveSibling("programs");
    }

    /**
     * Unpacks packages, and those that they depend on and this machine lacks, in place of what the directory holds.
     *
     * @param packages names of packages
     * @param limit maximum duration of a download
     */
    public static void unpack(List<String> packages, Path directory, Duration limit) throws IOException {
        DebianTree.begin(directory);
        tree(directory, limit).unpack(packages, directory);
    }

    /**
     * Unpacks a directory of documents of one package, which {@link #unpack} leaves out.
     *
     * @param name name of the package
     * @param part path of the directory in the package, without a slash at its start
     * @param limit maximum duration of a download
     */
    public static void unpackPart(String name, String part, Path directory, Duration limit) throws IOException {
        tree(directory, limit).unpackPart(name, part, directory);
    }

    private static DebianTree tree(Path directory, Duration limit) {
        return DebianTree.onTopOfMachine(directory.resolveSibling("packages"), limit);
    }
}
