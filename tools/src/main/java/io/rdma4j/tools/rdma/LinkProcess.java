// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.tools.rdma;

import io.rdma4j.base.Errno;
import io.rdma4j.base.RdmaException;
import io.rdma4j.base.local.PrivateDirectory;
import io.rdma4j.verbs.local.RunDirectory;
import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * The background process of {@code rdma link add}. It continues after the shell ends, and writes its output to a file
 * of the run directory.
 */
final class LinkProcess {
    private static final Path SETSID = Path.of("/usr/bin/setsid");

    private final Process process;
    private final Path log;

    private LinkProcess(Process process, Path log) {
        this.process = process;
        this.log = log;
    }

    /**
     * Starts it.
     *
     * @param tools the command line that starts a tool, without the name of the tool
     * @throws RdmaException EINVAL for a name that is not valid for a file, EIO if no process can be started
     */
    static LinkProcess start(List<String> tools, String name, String netdev) {
        if (!name.matches("[A-Za-z0-9_.-]{1,63}")) {
            throw new RdmaException(
                    Errno.EINVAL, "\"" + name + "\" is no name of a device: 1 to 63 letters, digits, _ . -");
        }
        Path root = RunDirectory.configured().root();
        Path log = root.resolve(name + ".log");
        List<String> command = new ArrayList<>();
        if (Files.isExecutable(SETSID)) {
            // A new session, so that the end of the terminal does not end the process.
            command.add(SETSID.toString());
        }
        command.addAll(tools);
        command.addAll(List.of("rdma", "link", RdmaTool.SERVE, name, "type", "rxe", "netdev", netdev));
        try {
            PrivateDirectory.create(root);
            Files.deleteIfExists(log);
            Process process = new ProcessBuilder(command)
                    .redirectInput(ProcessBuilder.Redirect.from(new File("/dev/null")))
                    .redirectErrorStream(true)
                    .redirectOutput(log.toFile())
                    .start();
            return new LinkProcess(process, log);
        } catch (IOException e) {
            throw new RdmaException(Errno.EIO, "the process that is to serve " + name + " cannot be started", e);
        }
    }

    boolean isAlive() {
        return process.isAlive();
    }

    long pid() {
        return process.pid();
    }

    /** File of its output. */
    Path log() {
        return log;
    }

    /** Reason of its end. */
    String complaint() {
        try {
            List<String> lines = Files.readAllLines(log);
            return lines.isEmpty()
                    ? "process " + pid() + " ended with exit code " + process.exitValue()
                    : lines.getLast().replaceFirst("^rdma: ", "");
        } catch (IOException _) {
            return "process " + pid() + " ended with exit code " + process.exitValue();
        }
    }
}
