// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.uverbs.server;

import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/** A JVM that serves a device until it is killed. */
final class ServingProcess implements AutoCloseable {
    private final Process process;

    /** The entry of the device in the run directory. */
    final Path entry;

    private ServingProcess(Process process) throws IOException {
        this.process = process;
        this.entry = Path.of(process.inputReader().readLine());
    }

    /** Returns when the device is served. */
    static ServingProcess start(Path folder) throws IOException {
        return start(folder, "true");
    }

    /** @param preparation shell command that runs before the JVM, in the same process */
    static ServingProcess start(Path folder, String preparation) throws IOException {
        return new ServingProcess(new ProcessBuilder(
                        "sh",
                        "-c",
                        preparation + "; exec \"$@\"",
                        "sh",
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-XX:TieredStopAtLevel=1",
                        "--enable-native-access=ALL-UNNAMED",
                        "-cp",
                        System.getProperty("java.class.path"),
                        ServingProcess.class.getName(),
                        folder.toString())
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start());
    }

    static void main(String[] arguments) throws InterruptedException {
        ServedDevice served = new ServedDevice(Path.of(arguments[0]), UverbsServer.ABI_VERSION);
        System.out.println(served.server.entry());
        new CountDownLatch(1).await();
    }

    /** Sends SIGKILL, so that the process cannot clean up. */
    void kill() throws InterruptedException {
        process.destroyForcibly().waitFor();
    }

    /** Sends SIGSTOP and returns when all threads of the process are stopped. */
    void stop() throws IOException, InterruptedException {
        signal("STOP");
        long endNs = System.nanoTime() + TimeUnit.SECONDS.toNanos(10);
        while (!isStopped() && System.nanoTime() < endNs) {
            Thread.onSpinWait();
        }
    }

    private boolean isStopped() throws IOException {
        try (DirectoryStream<Path> tasks = Files.newDirectoryStream(Path.of("/proc/" + process.pid() + "/task"))) {
            for (Path task : tasks) {
                if (!Files.readString(task.resolve("status")).contains("T (stopped)")) {
                    return false;
                }
            }
        }
        return true;
    }

    void resume() throws IOException, InterruptedException {
        signal("CONT");
    }

    private void signal(String name) throws IOException, InterruptedException {
        int exit = new ProcessBuilder("kill", "-" + name, Long.toString(process.pid()))
                .start()
                .waitFor();
        if (exit != 0) {
            throw new IOException("kill -" + name + " ends with " + exit);
        }
    }

    @Override
    public void close() {
        process.destroyForcibly();
    }
}
