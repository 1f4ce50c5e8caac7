// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.devtools.dropin;

import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** Compares the library with the one that it replaces. */
final class LibraryCases {
    private static final Duration LIMIT = Duration.ofMinutes(1);

    private LibraryCases() {}

    /**
     * @param library ours
     * @param packages directory with the files of rdma-core's packages
     * @param layout a program in C that prints the layout of the structures
     */
    static List<SuiteCase> all(Path library, Path packages, Path layout) {
        return List.of(
                new SuiteCase("library", "names and versions", true, programs -> {
                    Set<String> wanted = names(programs, original(packages));
                    // What version 1.0 has with other structures than 1.1 is not exported.
                    wanted.removeIf(name -> name.endsWith("@IBVERBS_1.0")
                            && wanted.contains(name.replace("@IBVERBS_1.0", "@IBVERBS_1.1")));
                    int count = wanted.size();
                    wanted.removeAll(names(programs, library));
                    if (!wanted.isEmpty()) {
                        throw new CaseFailure("not exported: " + String.join(" ", wanted));
                    }
                    return count + " names";
                }),
                new SuiteCase("library", "layout of structures", false, programs -> {
                    String ours = layout(programs, layout, "-I" + layout.resolveSibling("../../main/c"));
                    String theirs = layout(programs, layout, "-DINSTALLED", "-I" + packages.resolve("usr/include"));
                    if (!ours.equals(theirs)) {
                        throw new CaseFailure("the layouts differ");
                    }
                    return ours.lines().count() + " members";
                }));
    }

    /** The library of the packages; it is not there if this machine has it already. */
    private static Path original(Path packages) throws IOException, CaseFailure {
        for (Path libraries : List.of(packages.resolve("usr/lib"), Path.of("/usr/lib"))) {
            try (DirectoryStream<Path> found = Files.newDirectoryStream(libraries, "*-linux-gnu")) {
                for (Path directory : found) {
                    Path library = directory.resolve("libibverbs.so.1");
                    if (Files.exists(library)) {
                        return library;
                    }
                }
            }
        }
        throw new CaseFailure("no libibverbs.so.1 in " + packages + " and /usr/lib");
    }

    /** The exported functions of a library, each as {@code NAME@VERSION}. */
    private static Set<String> names(ProgramRunner programs, Path library)
            throws IOException, InterruptedException, CaseFailure {
        return programs.run(LIMIT, "readelf", "-W", "--dyn-syms", library.toString())
                .lines()
                .filter(line -> line.contains(" FUNC ") && !line.contains(" UND ") && line.contains("@IBVERBS"))
                .map(line -> line.substring(line.lastIndexOf(' ') + 1).replace("@@", "@"))
                .collect(Collectors.toCollection(TreeSet::new));
    }

    private static String layout(ProgramRunner programs, Path source, String... options)
            throws IOException, InterruptedException, CaseFailure {
        Path program = Files.createTempFile("rdma4j", "layout");
        try {
            String[] words = Stream.of(
                            List.of("cc"), List.of(options), List.of("-o", program.toString(), source.toString()))
                    .flatMap(List::stream)
                    .toArray(String[]::new);
            programs.run(LIMIT, words);
            return programs.run(LIMIT, program.toString());
        } finally {
            Files.deleteIfExists(program);
        }
    }
}
