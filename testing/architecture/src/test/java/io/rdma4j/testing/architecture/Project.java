// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.testing.architecture;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/** The project's directory: its modules in the order of the root pom, and their files. */
final class Project {
    private static final Pattern MODULE = Pattern.compile("<module>([^<]+)</module>");

    private final Path root;

    Project(Path root) {
        this.root = root;
    }

    /** The project that contains this test. */
    static Project here() {
        Path directory = Path.of("").toAbsolutePath();
        while (!Files.isDirectory(directory.resolve(".mvn"))) {
            directory = directory.getParent();
            if (directory == null) {
                throw new IllegalStateException("not started inside the project");
            }
        }
        return new Project(directory);
    }

    /** Paths of the modules, relative to the root: {@code base}, {@code testing/sim}. */
    List<String> modules() {
        return modules(read(root.resolve("pom.xml")));
    }

    /** Modules that are built without a profile. */
    List<String> modulesOfEveryBuild() {
        return modules(read(root.resolve("pom.xml")).split("<profiles>", 2)[0]);
    }

    private static List<String> modules(String pom) {
        List<String> modules = new ArrayList<>();
        Matcher matcher = MODULE.matcher(pom);
        while (matcher.find()) {
            modules.add(matcher.group(1));
        }
        return modules;
    }

    /** Modules with main sources. */
    List<String> modulesWithCode() {
        return modules().stream()
                .filter(module -> Files.isDirectory(path(module).resolve("src/main/java")))
                .toList();
    }

    Path path(String relative) {
        return root.resolve(relative);
    }

    /** Directory of a module's main classes. */
    Path classes(String module) {
        return path(module).resolve("target/classes");
    }

    /** The Java sources below a directory of a module, such as {@code src/main/java}. */
    List<SourceFile> sources(String module, String directory) {
        return files(path(module).resolve(directory))
                .filter(file -> file.toString().endsWith(".java"))
                .map(this::source)
                .toList();
    }

    /** All Java sources of all modules. */
    List<SourceFile> sources() {
        return modules().stream()
                .flatMap(module -> sources(module, "src").stream())
                .toList();
    }

    /** All source-controlled text: sources and resources of all modules, poms, documents and scripts. */
    Stream<Path> written() {
        Stream<Path> top = list(root).filter(Files::isRegularFile);
        Stream<Path> modules = modules().stream()
                .flatMap(module -> Stream.concat(
                        Stream.of(path(module).resolve("pom.xml")),
                        files(path(module).resolve("src"))));
        return Stream.of(top, files(path("spec")), files(path(".ci")), modules).flatMap(files -> files);
    }

    private SourceFile source(Path file) {
        return new SourceFile(root.relativize(file).toString(), read(file));
    }

    static Stream<Path> files(Path directory) {
        if (!Files.isDirectory(directory)) {
            return Stream.empty();
        }
        try (Stream<Path> walk = Files.walk(directory)) {
            return walk.filter(Files::isRegularFile).sorted().toList().stream();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static Stream<Path> list(Path directory) {
        try (Stream<Path> list = Files.list(directory)) {
            return list.sorted().toList().stream();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    static String read(Path file) {
        try {
            return Files.readString(file);
        } catch (IOException e) {
            throw new UncheckedIOException(file.toString(), e);
        }
    }
}
