package io.rdma4j.interop.lab;

import java.io.IOException;
import java.lang.ProcessBuilder.Redirect;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** Wireshark's opinion of a capture. It runs with the tree that it was unpacked to as its root. */
public final class Tshark {
    private static final Duration LIMIT = Duration.ofMinutes(5);

    private final Path root;

    Tshark(Path root) {
        this.root = root;
    }

    /**
     * Fields of the frames of a capture.
     *
     * @param filter which frames, in Wireshark's language
     * @param names of the fields
     * @return a line a frame, fields separated by tabs; of a field that occurs more than once the first
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
            if (Shell.await(process, LIMIT) != 0) {
                throw new LabException("tshark failed: " + Files.readString(err));
            }
            return Files.readAllLines(out, StandardCharsets.UTF_8);
        } finally {
            Files.delete(out);
            Files.delete(err);
        }
    }
}
