// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.bench.rivals;

import java.io.IOException;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** The limit programs of {@code bench/limits}: small C programs that are compiled at first use. */
final class LimitPrograms {
    private static final List<String> NAMES = List.of("udp_pingpong", "udp_stream", "shm");

    private final Path directory;
    private final @Nullable String missing;

    private LimitPrograms(Path directory, @Nullable String missing) {
        this.directory = directory;
        this.missing = missing;
    }

    /**
     * Compiles programs that are older than their sources.
     *
     * @param root of the project
     */
    static LimitPrograms build(Path root, Installed installed, PrintWriter log)
            throws IOException, InterruptedException {
        Path sources = root.resolve("bench/limits");
        Path target = Files.createDirectories(root.resolve("bench/target/limits"));
        String compiler = installed.firstOf("gcc", "clang", "cc");
        if (compiler == null) {
            return new LimitPrograms(target, "no C compiler (gcc)");
        }
        for (String name : NAMES) {
            Path program = target.resolve(name);
            if (!isFresh(program, sources)) {
                log.println("bench: compiling " + name + ".c");
                String failure = compile(compiler, sources.resolve(name + ".c"), program);
                if (failure != null) {
                    return new LimitPrograms(target, failure);
                }
            }
        }
        return new LimitPrograms(target, null);
    }

    private static boolean isFresh(Path program, Path sources) throws IOException {
        if (!Files.exists(program)) {
            return false;
        }
        long made = Files.getLastModifiedTime(program).toMillis();
        try (Stream<Path> files = Files.list(sources)) {
            return files.allMatch(file -> file.toFile().lastModified() <= made);
        }
    }

    private static @Nullable String compile(String compiler, Path source, Path program)
            throws IOException, InterruptedException {
        Process process = new ProcessBuilder(
                        compiler, "-O3", "-march=native", "-w", "-o", program.toString(), source.toString())
                .redirectErrorStream(true)
                .start();
        String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        return process.waitFor() == 0
                ? null
                : source.getFileName() + " does not compile: "
                        + output.lines().findFirst().orElse("");
    }

    /** Returns a run of one of the programs. */
    Contender contender(String name, Reading reading, String program, Object... arguments) {
        List<String> words = Stream.concat(
                        Stream.of(directory.resolve(program).toString()),
                        Stream.of(arguments).map(Object::toString))
                .toList();
        return Contender.alone(name, reading, words).unless(missing);
    }
}
