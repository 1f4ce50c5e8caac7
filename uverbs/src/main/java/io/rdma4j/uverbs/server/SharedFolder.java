package io.rdma4j.uverbs.server;

import io.rdma4j.base.local.PrivateDirectory;
import java.io.IOException;
import java.io.UncheckedIOException;
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
        try {
            PrivateDirectory.deleteTree(path);
        } catch (IOException e) {
            // The server goes, and everything with it.
        }
    }
}
