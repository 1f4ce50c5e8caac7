// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.tools.net;

import io.rdma4j.base.local.PrivateDirectory;
import io.rdma4j.verbs.local.RunDirectory;
import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;

/** Paths of the control sockets of running networks, in a private directory of the user. */
final class ControlSockets {
    private static final String PREFIX = "net-";
    private static final Pattern PID = Pattern.compile("[1-9][0-9]{0,9}");

    private ControlSockets() {}

    static Path directory() {
        return RunDirectory.ofUser();
    }

    /** Path of the socket of a process; creates the directory. */
    static Path of(long pid) throws IOException {
        Path directory = directory();
        PrivateDirectory.create(directory);
        return directory.resolve(PREFIX + pid);
    }

    /**
     * Returns the living processes that have a socket. Removes the sockets of other processes and ignores other files.
     *
     * @throws java.nio.file.AccessDeniedException if another user can change the directory
     */
    static List<Long> running() throws IOException {
        List<Long> pids = new ArrayList<>();
        try {
            PrivateDirectory.check(directory());
        } catch (NoSuchFileException e) {
            return pids;
        }
        try (DirectoryStream<Path> files = Files.newDirectoryStream(directory(), PREFIX + "*")) {
            for (Path file : files) {
                String number = file.getFileName().toString().substring(PREFIX.length());
                if (!PID.matcher(number).matches()) {
                    continue;
                }
                long pid = Long.parseLong(number);
                if (ProcessHandle.of(pid).isPresent()) {
                    pids.add(pid);
                } else {
                    Files.deleteIfExists(file);
                }
            }
        }
        return pids;
    }
}
