package io.rdma4j.tools.net;

import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;

/** Where the sockets are by which a running network can be reached: in a directory that only the user may enter. */
final class ControlSockets {
    private static final String PREFIX = "net-";

    private ControlSockets() {}

    static Path directory() {
        String runtime = System.getenv("XDG_RUNTIME_DIR");
        return runtime == null || runtime.isBlank()
                ? Path.of(System.getProperty("java.io.tmpdir"), "rdma4j-" + System.getProperty("user.name"))
                : Path.of(runtime, "rdma4j");
    }

    /** The socket of a process; its directory is there. */
    static Path of(long pid) throws IOException {
        Path directory = directory();
        if (!Files.isDirectory(directory)) {
            Files.createDirectories(
                    directory, PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------")));
        }
        return directory.resolve(PREFIX + pid);
    }

    /** The processes that have one and are alive; sockets of others are removed. */
    static List<Long> running() throws IOException {
        List<Long> pids = new ArrayList<>();
        if (Files.isDirectory(directory())) {
            try (DirectoryStream<Path> files = Files.newDirectoryStream(directory(), PREFIX + "*")) {
                for (Path file : files) {
                    long pid = Long.parseLong(file.getFileName().toString().substring(PREFIX.length()));
                    if (ProcessHandle.of(pid).isPresent()) {
                        pids.add(pid);
                    } else {
                        Files.deleteIfExists(file);
                    }
                }
            }
        }
        return pids;
    }
}
