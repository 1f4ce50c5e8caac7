// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.devtools.dropin;

import io.rdma4j.interop.lab.DebianPrograms;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import java.util.zip.GZIPInputStream;

/**
 * The programs and tests of the suite: files of Debian's packages in a directory of the user's cache.
 *
 * @param directory where they are; the tests in Python are in its directory {@code tests}
 */
public record ProgramTree(Path directory) {
    private static final List<String> PACKAGES =
            List.of("ibverbs-utils", "rdmacm-utils", "perftest", "libibverbs1", "libibverbs-dev", "python3-pyverbs");
    private static final String SOURCE_OF_TESTS = "python3-pyverbs";
    private static final String TESTS = "usr/share/doc/rdma-core/tests";

    /** Written last. */
    private static final String COMPLETE = "complete";

    /** The directory of this user, which may not exist yet. */
    public static ProgramTree ofUser() {
        return new ProgramTree(DebianPrograms.directory().resolveSibling("dropin-suite"));
    }

    /** True if nothing is to be downloaded. */
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
        DebianPrograms.unpackPart(SOURCE_OF_TESTS, TESTS, directory, limit);
        Files.createDirectories(directory.resolve("tests"));
        try (Stream<Path> files = Files.list(directory.resolve(TESTS))) {
            for (Path file : (Iterable<Path>) files::iterator) {
                copy(file);
            }
        }
        Files.writeString(directory.resolve(COMPLETE), "", StandardCharsets.UTF_8);
    }

    /** Copies a test; Debian compresses the longer ones. */
    private void copy(Path file) throws IOException {
        String name = file.getFileName().toString();
        boolean isCompressed = name.endsWith(".gz");
        Path target = directory.resolve("tests").resolve(isCompressed ? name.substring(0, name.length() - 3) : name);
        try (InputStream in = Files.newInputStream(file);
                InputStream plain = isCompressed ? new GZIPInputStream(in) : in) {
            Files.copy(plain, target);
        }
    }

    /**
     * The variables with which programs and libraries are found here, before those of the machine.
     *
     * @param libraries directories of libraries that come before those of the packages
     */
    public Map<String, String> environment(String libraries) throws IOException {
        Map<String, String> variables = new LinkedHashMap<>();
        variables.put("PATH", directory.resolve("usr/bin") + ":" + System.getenv("PATH"));
        variables.put(
                "PYTHONPATH", directory.resolve("usr/lib/python3/dist-packages").toString());
        StringBuilder path = new StringBuilder(libraries);
        try (Stream<Path> files = Files.list(directory.resolve("usr/lib"))) {
            files.filter(file -> file.getFileName().toString().endsWith("-linux-gnu"))
                    .forEach(file -> path.append(path.isEmpty() ? "" : ":").append(file));
        }
        variables.put("LD_LIBRARY_PATH", path.toString());
        return variables;
    }
}
