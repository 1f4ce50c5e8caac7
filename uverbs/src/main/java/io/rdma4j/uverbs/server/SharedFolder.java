// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.uverbs.server;

import io.rdma4j.base.local.PrivateDirectory;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * The directory of a session for files that client and server map: queues, and memory that the client allocates. One
 * thread.
 */
record SharedFolder(Path path) {
    /** Creates a directory that only this user can access. */
    static SharedFolder create(Path parent) {
        try {
            return new SharedFolder(Files.createTempDirectory(parent, "session"));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Deletes the directory and its files; mappings stay valid. */
    void delete() {
        try {
            PrivateDirectory.deleteTree(path);
        } catch (IOException e) {
            // The server deletes the parent directory when it ends.
        }
    }
}
