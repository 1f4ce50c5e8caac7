// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.bench.process;

import java.lang.management.ManagementFactory;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** Command lines of further JVMs with the class path, the collector and the native access of this one. */
public final class OwnJvm {
    private OwnJvm() {}

    /**
     * Returns a command line that can be extended.
     *
     * @param options more options of the JVM
     */
    public static List<String> command(String... options) {
        List<String> words = new ArrayList<>();
        words.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        ManagementFactory.getRuntimeMXBean().getInputArguments().stream()
                .filter(option -> option.startsWith("-XX:+Use") || option.startsWith("--enable-native"))
                .forEach(words::add);
        words.addAll(List.of(options));
        words.addAll(List.of("-cp", System.getProperty("java.class.path")));
        return words;
    }
}
