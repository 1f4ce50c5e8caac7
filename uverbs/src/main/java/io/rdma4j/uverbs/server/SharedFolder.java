package io.rdma4j.uverbs.server;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;

/** The folder of a session, for files that client and server both map: queues, and memory that the client allocates. One thread. */
record SharedFolder(Path path) {
    /** Makes one that only this user can look into. */
    static SharedFolder create(Path parent) {
        try {
            return new SharedFolder(Files.createTempDirectory(parent, "session"));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Takes it away with what the client has left in it; what is mapped stays. */
    void delete() {
        try (DirectoryStream<Path> files = Files.newDirectoryStream(path)) {
            for (Path file : files) {
                Files.deleteIfExists(file);
            }
            Files.deleteIfExists(path);
        } catch (IOException e) {
            // The server goes, and everything with it.
        }
    }
}
