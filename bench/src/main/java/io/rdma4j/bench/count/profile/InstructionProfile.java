// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.bench.count.profile;

import java.io.IOException;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.LongStream;

/**
 * The addresses of the instructions of operations, and the methods that they belong to. An instruction counts for the
 * innermost method of the project; code of the JDK counts for the method that calls it.
 */
public final class InstructionProfile {
    private static final String PROJECT = "io.rdma4j.";

    /** Methods that are named for each package. */
    private static final int NAMED = 4;

    private final Path agent;
    private final Path file;
    private final Map<String, List<long[]>> samples = new LinkedHashMap<>();
    private LongStream.Builder current = LongStream.builder();

    private InstructionProfile(Path agent, Path file) {
        this.agent = agent;
        this.file = file;
    }

    /**
     * Compiles the agent that writes the places of compiled methods.
     *
     * @param root of the project
     * @throws IOException if there is no C compiler, or the JDK has no headers
     */
    public static InstructionProfile build(Path root) throws IOException, InterruptedException {
        Path target = Files.createDirectories(root.resolve("bench/target/agent"));
        Path library = target.resolve("codemap.so");
        Path include = Path.of(System.getProperty("java.home"), "include");
        Process compiler = new ProcessBuilder(
                        "cc",
                        "-O1",
                        "-shared",
                        "-fPIC",
                        "-I" + include,
                        "-I" + include.resolve("linux"),
                        "-o",
                        library.toString(),
                        root.resolve("bench/agent/codemap.c").toString())
                .redirectErrorStream(true)
                .start();
        String output = new String(compiler.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        if (compiler.waitFor() != 0) {
            throw new IOException(
                    "codemap.c does not compile: " + output.lines().findFirst().orElse(""));
        }
        return new InstructionProfile(library, target.resolve("codemap"));
    }

    /** Returns the option of the JVM whose instructions are counted. */
    public String option() {
        return "-agentpath:" + agent + "=" + file;
    }

    /** An operation begins. */
    public void begin() {
        current = LongStream.builder();
    }

    /** The next instruction of the operation is at {@code address}. */
    public void step(long address) {
        current.add(address);
    }

    /** The operation has ended, and is one of those with this name. */
    public void end(String operation) {
        samples.computeIfAbsent(operation, _ -> new ArrayList<>())
                .add(current.build().toArray());
        current = LongStream.builder();
    }

    /** Prints a table for each operation, of the sample with the median count, and begins again. */
    public void print(PrintWriter out) throws IOException {
        CodeMap map = CodeMap.read(file);
        samples.forEach((operation, each) -> {
            each.sort(Comparator.comparingInt(addresses -> addresses.length));
            print(operation, each.get(each.size() / 2), map, out);
        });
        samples.clear();
    }

    private static void print(String operation, long[] addresses, CodeMap map, PrintWriter out) {
        Map<String, Map<String, Integer>> packages = new HashMap<>();
        Map<String, Integer> ofJdk = new HashMap<>();
        for (long address : addresses) {
            List<String> methods = map.methods(address).reversed();
            String innermost = methods.getFirst();
            String own = methods.stream()
                    .filter(method -> method.startsWith(PROJECT))
                    .findFirst()
                    .orElse(innermost);
            String place = own.startsWith(PROJECT) ? packageOf(own) : "JVM";
            packages.computeIfAbsent(place, _ -> new HashMap<>()).merge(own, 1, Integer::sum);
            if (!innermost.startsWith(PROJECT)) {
                ofJdk.merge(place, 1, Integer::sum);
            }
        }
        out.printf("%n%s: %d instructions%n%n", operation, addresses.length);
        out.println("| package | instructions | of them in the JDK | most in |");
        out.println("| --- | --- | --- | --- |");
        packages.entrySet().stream()
                .sorted(Comparator.comparingInt(entry -> -sum(entry.getValue())))
                .forEach(entry -> out.printf(
                        "| %s | %d | %d | %s |%n",
                        entry.getKey(),
                        sum(entry.getValue()),
                        ofJdk.getOrDefault(entry.getKey(), 0),
                        most(entry.getValue())));
        out.flush();
    }

    private static int sum(Map<String, Integer> counts) {
        return counts.values().stream().mapToInt(Integer::intValue).sum();
    }

    /** Returns the methods with the most instructions. */
    private static String most(Map<String, Integer> counts) {
        return counts.entrySet().stream()
                .sorted(Map.Entry.<String, Integer>comparingByValue().reversed().thenComparing(Map.Entry::getKey))
                .limit(NAMED)
                .map(entry -> shortName(entry.getKey()) + " " + entry.getValue())
                .collect(Collectors.joining(", "));
    }

    /** Returns {@code transport.requester} of {@code io.rdma4j.transport.requester.SendWindow.look}. */
    private static String packageOf(String method) {
        return method.substring(
                PROJECT.length(), method.length() - shortName(method).length() - 1);
    }

    /** Returns class and method of a method of the project; other names stay. */
    private static String shortName(String method) {
        int dot = method.lastIndexOf('.', method.lastIndexOf('.') - 1);
        return method.startsWith(PROJECT) ? method.substring(dot + 1) : method;
    }
}
