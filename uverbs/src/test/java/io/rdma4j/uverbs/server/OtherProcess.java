// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.uverbs.server;

import io.rdma4j.base.RdmaException;
import io.rdma4j.sa.SubnetAccess;
import io.rdma4j.uverbs.client.UverbsDriver;
import io.rdma4j.verbs.Device;
import io.rdma4j.verbs.local.RunDirectory;
import java.io.BufferedReader;
import java.io.File;
import java.io.IOException;
import java.net.URISyntaxException;
import java.nio.file.Path;
import java.util.Objects;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** A JVM that runs a program of the test resources, with the modules base, verbs and uverbs on its class path. */
final class OtherProcess implements AutoCloseable {
    private final Process process;
    private final BufferedReader output;

    private OtherProcess(Process process) {
        this.process = process;
        this.output = process.inputReader();
    }

    /** Starts a program that sends one message; {@code memory}: directory for the memory that it registers. */
    static OtherProcess start(RunDirectory directory, Path memory) throws IOException, URISyntaxException {
        return start(directory, "SendOnce.java", memory);
    }

    /** @param argument argument of the program */
    static OtherProcess start(RunDirectory directory, String source, Path argument)
            throws IOException, URISyntaxException {
        String classPath = Stream.of(RdmaException.class, Device.class, SubnetAccess.class, UverbsDriver.class)
                .map(OtherProcess::location)
                .collect(Collectors.joining(File.pathSeparator));
        Path program = Path.of(
                Objects.requireNonNull(OtherProcess.class.getResource(source)).toURI());
        return new OtherProcess(new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-XX:TieredStopAtLevel=1",
                        "-D" + RunDirectory.ROOT_PROPERTY + "=" + directory.root(),
                        "-cp",
                        classPath,
                        program.toString(),
                        argument.toString())
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start());
    }

    private static String location(Class<?> type) {
        return Path.of(type.getProtectionDomain().getCodeSource().getLocation().getPath())
                .toString();
    }

    long pid() {
        return process.pid();
    }

    String readLine() throws IOException {
        return String.valueOf(output.readLine());
    }

    void writeLine(String line) throws IOException {
        process.outputWriter().write(line + "\n");
        process.outputWriter().flush();
    }

    /** Sends SIGKILL, so that the process cannot close its objects. */
    void kill() throws InterruptedException {
        process.destroyForcibly().waitFor();
    }

    @Override
    public void close() {
        process.destroy();
    }
}
