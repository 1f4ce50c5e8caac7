// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.interop.lab;

import java.io.IOException;
import java.lang.ProcessBuilder.Redirect;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** Reads captures with Wireshark's tshark. It runs with its unpacked tree as root directory. */
public final class Tshark {
    private static final Duration LIMIT = Duration.ofMinutes(5);

    private final Path root;

    Tshark(Path root) {
        this.root = root;
    }

    /**
     * Reads fields of the frames of a capture.
     *
     * @param filter display filter of Wireshark
     * @param names of the fields
     * @return a line for each frame, fields separated by tabs; the first value of a field that occurs more than once
     */
    public List<String> fields(Path capture, String filter, List<String> names) throws IOException {
        List<String> words =
                new ArrayList<>(List.of("chroot", root.toString(), "tshark", "-n", "-r", "-", "-Y", filter));
        words.addAll(List.of("-T", "fields", "-E", "occurrence=f"));
        names.forEach(name -> words.addAll(List.of("-e", name)));
        Path out = Files.createTempFile("rdma4j", ".fields");
        Path err = Files.createTempFile("rdma4j", ".err");
        try {
            Process process = new ProcessBuilder(words)
                    .redirectInput(Redirect.from(capture.toFile()))
                    .redirectOutput(out.toFile())
                    .redirectError(err.toFile())
                    .start();
            if (HostCommands.await(process, LIMIT) != 0) {
                throw new LabException("tshark failed: " + Files.readString(err));
            }
            return Files.readAllLines(out, StandardCharsets.UTF_8);
        } finally {
            Files.delete(out);
            Files.delete(err);
        }
    }
}
