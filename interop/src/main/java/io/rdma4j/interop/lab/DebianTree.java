// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.interop.lab;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;

/**
 * Unpacks Debian packages with their dependencies into a directory. apt works with the machine's sources. No package is
 * installed, and no maintainer script runs.
 */
final class DebianTree {
    private static final Duration UNPACK = Duration.ofMinutes(5);

    private static final List<String> LEFT_OUT = List.of(
            "--exclude=./usr/share/man/*",
            "--exclude=./usr/share/locale/*",
            "--exclude=./usr/share/info/*",
            "--exclude=./usr/share/doc/*",
            "--exclude=./boot/System.map*");

    private final Path cache;
    private final Duration limit;

    /** True if packages that this machine has count as dependencies that are there. */
    private final boolean onTopOfMachine;

    private DebianTree(Path cache, Duration limit, boolean onTopOfMachine) {
        this.cache = cache;
        this.limit = limit;
        this.onTopOfMachine = onTopOfMachine;
    }

    /**
     * A tree of packages with all their dependencies, as for a guest; downloads nothing yet.
     *
     * @param cache directory for downloaded packages
     * @param limit maximum duration of a download
     */
    static DebianTree whole(Path cache, Duration limit) {
        return new DebianTree(cache, limit, false);
    }

    /** A tree of packages without those that this machine has, for programs that run on this machine. */
    static DebianTree onTopOfMachine(Path cache, Duration limit) {
        return new DebianTree(cache, limit, true);
    }

    /** Unpacks packages and their dependencies into a new directory. */
    void unpack(List<String> packages, Path root) throws IOException {
        for (Path archive : download(packages)) {
            extract(archive, root);
        }
        HostCommands.run(List.of("ldconfig", "-r", root.toString()));
    }

    /** Unpacks one package without dependencies. */
    void unpackAlone(String name, Path root) throws IOException {
        extract(archive(plan(List.of(name)), name), root);
    }

    /**
     * Creates the root directory: with Debian's links for the merged {@code /usr}, and the files that package scripts
     * would write.
     */
    static void begin(Path root) throws IOException {
        delete(root);
        for (String directory : List.of("bin", "sbin", "lib", "lib64")) {
            Files.createDirectories(root.resolve("usr").resolve(directory));
            Files.createSymbolicLink(root.resolve(directory), Path.of("usr", directory));
        }
        for (String directory : List.of("proc", "sys", "dev", "run", "tmp", "etc")) {
            Files.createDirectories(root.resolve(directory));
        }
        Files.writeString(root.resolve("etc/passwd"), "root:x:0:0:root:/:/bin/sh\n");
        Files.writeString(root.resolve("etc/group"), "root:x:0:\n");
        Files.writeString(root.resolve("etc/hosts"), "127.0.0.1 localhost\n::1 localhost\n");
    }

    /** Deletes a directory with its content. */
    static void delete(Path root) throws IOException {
        if (!Files.isDirectory(root)) {
            return;
        }
        try (Stream<Path> files = Files.walk(root)) {
            for (Path file : (Iterable<Path>) files.sorted(Comparator.reverseOrder())::iterator) {
                Files.delete(file);
            }
        }
    }

    /** Returns the names of all packages that begin with {@code prefix}. */
    static List<String> names(String prefix) throws IOException {
        return HostCommands.run(List.of("apt-cache", "pkgnames", prefix))
                .lines()
                .toList();
    }

    private List<Path> download(List<String> packages) throws IOException {
        List<String> plan = plan(packages);
        List<Path> archives = new ArrayList<>();
        for (String line : plan) {
            archives.add(archive(plan, line.split(" ", -1)[1]));
        }
        return archives;
    }

    /** Downloads packages; returns the lines {@code Inst NAME [INSTALLED VERSION] (VERSION …)} of apt's plan. */
    private List<String> plan(List<String> packages) throws IOException {
        Files.createDirectories(cache.resolve("partial"));
        Files.writeString(cache.resolve("status"), "");
        try {
            apt(packages, "-d");
        } catch (LabException _) {
            HostCommands.run(List.of("apt-get", "update"), "", limit); // the lists of apt are missing or too old
            apt(packages, "-d");
        }
        return apt(packages, "-s")
                .lines()
                .filter(line -> line.startsWith("Inst "))
                .toList();
    }

    private String apt(List<String> packages, String what) throws IOException {
        List<String> words = new ArrayList<>(List.of("apt-get", what, "-y", "-q", "--no-install-recommends"));
        List<String> settings = new ArrayList<>(List.of(
                "Dir::State::extended_states=" + cache.resolve("extended"),
                "Dir::Cache::archives=" + cache,
                "Debug::NoLocking=1",
                "APT::Sandbox::User=root"));
        if (!onTopOfMachine) {
            settings.add("Dir::State::status=" + cache.resolve("status")); // an empty file
        }
        settings.forEach(option -> words.addAll(List.of("-o", option)));
        words.add("install");
        words.addAll(packages);
        return HostCommands.run(words, "", limit);
    }

    /** File of a package of the plan. Its name contains the version, with the colon encoded as in a URL. */
    private Path archive(List<String> plan, String name) throws IOException {
        for (String line : plan) {
            String[] words = line.split(" ", -1);
            if (words[1].equals(name)) {
                String version =
                        words[words[2].startsWith("[") ? 3 : 2].substring(1).replace(":", "%3a");
                try (Stream<Path> files = Files.list(cache)) {
                    return files.filter(file -> file.getFileName().toString().startsWith(name + "_" + version + "_"))
                            .findFirst()
                            .orElseThrow(() -> new LabException("apt did not download " + name + " " + version));
                }
            }
        }
        throw new LabException("apt would not install " + name);
    }

    /** Unpacks only a directory of one package, without dependencies. */
    void unpackPart(String name, String part, Path root) throws IOException {
        extract(archive(plan(List.of(name)), name), root, List.of("./" + part));
    }

    private static void extract(Path archive, Path root) throws IOException {
        extract(archive, root, LEFT_OUT);
    }

    /** @param selection arguments of tar: members, or options that exclude some */
    private static void extract(Path archive, Path root, List<String> selection) throws IOException {
        List<String> unpack = new ArrayList<>(List.of("tar", "-x", "--keep-directory-symlink", "-C", root.toString()));
        unpack.addAll(selection);
        List<Process> pipeline = ProcessBuilder.startPipeline(List.of(
                new ProcessBuilder("dpkg-deb", "--fsys-tarfile", archive.toString()),
                new ProcessBuilder(unpack).redirectError(ProcessBuilder.Redirect.INHERIT)));
        for (Process process : pipeline) {
            if (HostCommands.await(process, UNPACK) != 0) {
                throw new LabException("cannot unpack " + archive);
            }
        }
    }
}
