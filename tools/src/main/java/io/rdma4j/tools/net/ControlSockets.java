// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.tools.net;

import io.rdma4j.base.local.LocalDirectory;
import io.rdma4j.verbs.local.RunDirectory;
import java.io.IOException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Pattern;

/** Paths of the control sockets of running networks, in a private directory of the user. */
final class ControlSockets {
    private static final String PREFIX = "net-";
    private static final Pattern PID = Pattern.compile("[1-9][0-9]{0,9}");

    private ControlSockets() {}

    private static LocalDirectory directory() {
        return new LocalDirectory(RunDirectory.ofUser());
    }

    /** Path of the socket of a process; creates the directory. */
    static Path of(long pid) throws IOException {
        LocalDirectory directory = directory();
        directory.create();
        return directory.root().resolve(PREFIX + pid);
    }

    /**
     * Returns the living processes that have a socket. Removes the sockets of other processes and ignores other files.
     *
     * @throws java.nio.file.AccessDeniedException if another user can change the directory
     */
    static List<Long> running() throws IOException {
        LocalDirectory directory = directory();
        try {
            directory.check();
        } catch (NoSuchFileException e) {
            return List.of();
        }
        return directory.living(PREFIX).stream()
                .map(socket -> socket.getFileName().toString().substring(PREFIX.length()))
                .filter(PID.asMatchPredicate())
                .map(Long::valueOf)
                .toList();
    }
}
