// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.testing.ledger;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * Files with the proofs of one module: {@code CLASS.ledger} for each test class, with a line {@code
 * ROW<tab>GROUND<tab>TEST} for each claim that counts. A class without proofs has an empty file, so that the directory
 * also lists the classes that ran.
 */
final class LedgerDirectory {
    private static final String SUFFIX = ".ledger";
    private static final int FIELDS = 3;

    private final Path directory;

    LedgerDirectory(Path directory) {
        this.directory = directory;
    }

    /** Replaces the proofs of an earlier run of the class. */
    void write(String testClass, SortedMap<String, Set<Proof>> proved) {
        List<String> lines = new ArrayList<>();
        proved.forEach(
                (id, proofs) -> proofs.forEach(proof -> lines.add(id + "\t" + proof.ground() + "\t" + proof.test())));
        try {
            Files.createDirectories(directory);
            Files.write(directory.resolve(testClass + SUFFIX), lines);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Adds the proofs of this module: row id to proofs. */
    void addTo(SortedMap<String, Set<Proof>> proved) {
        for (Path file : files()) {
            try {
                for (String line : Files.readAllLines(file)) {
                    String[] fields = line.split("\t", -1);
                    if (fields.length != FIELDS) {
                        continue; // written by a build whose ledgers had no grounds
                    }
                    proved.computeIfAbsent(fields[0], _ -> new TreeSet<>())
                            .add(new Proof(Ground.parse(fields[1]), fields[2]));
                }
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }
    }

    /** Removes the files of test classes that no longer exist. */
    void forgetClassesThatAreGone() {
        for (Path file : files()) {
            if (!exists(testClass(file))) {
                try {
                    Files.delete(file);
                } catch (IOException e) {
                    throw new UncheckedIOException(e);
                }
            }
        }
    }

    private static String testClass(Path file) {
        String name = file.getFileName().toString();
        return name.substring(0, name.length() - SUFFIX.length());
    }

    private static boolean exists(String className) {
        try {
            Class.forName(className, false, Thread.currentThread().getContextClassLoader());
            return true;
        } catch (ClassNotFoundException | LinkageError e) {
            return false;
        }
    }

    private List<Path> files() {
        if (!Files.isDirectory(directory)) {
            return List.of();
        }
        try (DirectoryStream<Path> files = Files.newDirectoryStream(directory, "*" + SUFFIX)) {
            List<Path> list = new ArrayList<>();
            files.forEach(list::add);
            return list;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /**
     * Merges the ledgers of all modules below a project's root directory, two levels deep.
     *
     * @return row id to proofs; null if no module has been tested yet
     */
    static @Nullable SortedMap<String, Set<Proof>> merge(Path root) {
        SortedMap<String, Set<Proof>> proved = new TreeMap<>();
        boolean any = false;
        for (Path module : modules(root)) {
            Path directory = module.resolve("target/ledger");
            any |= Files.isDirectory(directory);
            new LedgerDirectory(directory).addTo(proved);
        }
        return any ? proved : null;
    }

    private static List<Path> modules(Path root) {
        try (var paths = Files.find(root, 2, (path, _) -> Files.exists(path.resolve("pom.xml")))) {
            return paths.sorted().toList();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
