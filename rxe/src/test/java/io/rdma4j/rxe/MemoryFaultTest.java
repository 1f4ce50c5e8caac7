// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.rxe;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import io.rdma4j.testing.conformance.harness.ConformanceTarget;
import io.rdma4j.testing.endpoint.Endpoint;
import io.rdma4j.testing.endpoint.EndpointSetup;
import io.rdma4j.testing.endpoint.LinkSetup;
import io.rdma4j.verbs.CompletionChannel;
import io.rdma4j.verbs.MemoryRegion;
import io.rdma4j.verbs.SendRequest;
import io.rdma4j.verbs.values.AccessFlag;
import io.rdma4j.verbs.values.QpAttributes;
import io.rdma4j.verbs.wr.FlushLevel;
import io.rdma4j.verbs.wr.FlushType;
import io.rdma4j.verbs.wr.WcStatus;
import io.rdma4j.verbs.wr.WorkCompletion;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * A peer writes into a registered mapping of a file that cannot be written. The access raises SIGBUS, which the JVM
 * turns into an InternalError.
 */
class MemoryFaultTest {
    private static final Duration TIMEOUT = Duration.ofSeconds(60);
    private static final Set<AccessFlag> ACCESS =
            Set.of(AccessFlag.LOCAL_WRITE, AccessFlag.REMOTE_WRITE, AccessFlag.ON_DEMAND);
    private static final int CHUNK = 1 << 15;

    @TempDir
    private Path folder;

    static List<Supplier<ConformanceTarget>> targets() {
        return List.of(RxeTargets::udp, RxeTargets::sharedMemory);
    }

    private static long threads() {
        return Thread.getAllStackTraces().keySet().stream()
                .filter(thread -> thread.getName().startsWith("rdma4j-") && thread.isAlive())
                .count();
    }

    private static MemorySegment map(Path file, long bytes, Arena arena) throws IOException {
        try (FileChannel channel = FileChannel.open(
                file, StandardOpenOption.CREATE_NEW, StandardOpenOption.READ, StandardOpenOption.WRITE)) {
            return channel.map(FileChannel.MapMode.READ_WRITE, 0, bytes, arena);
        }
    }

    /** Makes the memory inaccessible after its registration. */
    private interface Damage {
        void happens() throws IOException;
    }

    /** Writes until a write fails. Neither program polls, so that the loop threads do all the work. */
    private static WorkCompletion writeUntilItFails(ConformanceTarget target, MemorySegment memory, Damage damage)
            throws Exception {
        try (CompletionChannel channel = target.first().createCompletionChannel();
                Endpoint sender = new Endpoint(target, target.first(), EndpointSetup.DEFAULT.channel(channel));
                Endpoint owner = new Endpoint(
                        target, target.second(), EndpointSetup.DEFAULT.remoteRights(Set.of(AccessFlag.REMOTE_WRITE)));
                MemoryRegion region = owner.pd.registerMemory(memory, ACCESS)) {
            sender.connectTo(owner, LinkSetup.SHORT_TIMEOUTS);
            owner.connectTo(sender, LinkSetup.SHORT_TIMEOUTS);
            damage.happens();
            for (long at = 0; at < memory.byteSize(); at += CHUNK) {
                sender.sendCq.requestNotification(false);
                sender.qp
                        .startSend()
                        .signaled()
                        .rdmaWrite(region.rkey(), region.iova() + at)
                        .sge(sender.mr.lkey(), sender.mr.iova(), CHUNK)
                        .complete();
                Objects.requireNonNull(channel.getEvent(TIMEOUT), "an event").acknowledgeEvents(1);
                WorkCompletion completion = sender.sendCq.poll(1).getFirst();
                if (completion.status() != WcStatus.SUCCESS) {
                    return completion;
                }
            }
            throw new AssertionError("all writes succeeded");
        }
    }

    private static void assertThatTheSenderHearsAndTheThreadsLive(
            Supplier<ConformanceTarget> opener, MemorySegment memory, Damage damage) throws Exception {
        long before = threads();
        try (ConformanceTarget target = opener.get()) {
            WcStatus status = writeUntilItFails(target, memory, damage).status();
            assertThat(status).isIn(WcStatus.REM_OP_ERR, WcStatus.RETRY_EXC_ERR, WcStatus.REM_ACCESS_ERR);
            assertThat(threads()).as("threads of two devices").isEqualTo(before + 2);
        }
    }

    @ParameterizedTest
    @MethodSource("targets")
    void aTruncatedFileEndsNoThread(Supplier<ConformanceTarget> opener) throws Exception {
        try (Arena arena = Arena.ofShared()) {
            Path file = folder.resolve("truncated");
            MemorySegment memory = map(file, 4 * CHUNK, arena);
            memory.fill((byte) 1);
            assertThatTheSenderHearsAndTheThreadsLive(opener, memory, () -> {
                try (FileChannel channel = FileChannel.open(file, StandardOpenOption.WRITE)) {
                    channel.truncate(0);
                }
            });
        }
    }

    /** Needs the privilege to mount. */
    @ParameterizedTest
    @MethodSource("targets")
    void aFullFileSystemEndsNoThread(Supplier<ConformanceTarget> opener) throws Exception {
        Path mount = Files.createDirectory(folder.resolve("mount"));
        assumeThat(run("mount", "-t", "tmpfs", "-o", "size=128k", "tmpfs", mount.toString()))
                .as("mount")
                .isZero();
        try {
            try (Arena arena = Arena.ofShared()) {
                assertThatTheSenderHearsAndTheThreadsLive(
                        opener, map(mount.resolve("sparse"), 16 * CHUNK, arena), () -> {});
            }
        } finally {
            assertThat(run("umount", "-l", mount.toString())).isZero();
        }
    }

    /** The disk below the file system is full, so that msync fails. Needs the privilege to mount, and mkfs.ext4. */
    @ParameterizedTest
    @MethodSource("targets")
    void aFlushThatTheDiskRefusesFailsItsRequest(Supplier<ConformanceTarget> opener) throws Exception {
        Path outer = Files.createDirectory(folder.resolve("outer"));
        Path inner = Files.createDirectory(folder.resolve("inner"));
        String script = "mount -t tmpfs -o size=4m tmpfs '" + outer + "' && truncate -s 32M '" + outer
                + "/disk' && mkfs.ext4 -q -O ^has_journal '" + outer + "/disk' && mount -o loop '" + outer + "/disk' '"
                + inner + "'";
        try {
            assumeThat(run("sh", "-c", script)).as("mount").isZero();
            try (Arena arena = Arena.ofShared()) {
                MemorySegment memory = map(inner.resolve("file"), 16 << 20, arena);
                memory.fill((byte) 1);
                assertThat(flush(opener, memory)).isEqualTo(WcStatus.REM_OP_ERR);
            }
        } finally {
            run("sh", "-c", "umount -l '" + inner + "'; umount -l '" + outer + "'");
        }
    }

    private static WcStatus flush(Supplier<ConformanceTarget> opener, MemorySegment memory) {
        Set<AccessFlag> global = Set.of(AccessFlag.REMOTE_WRITE, AccessFlag.FLUSH_GLOBAL);
        Set<AccessFlag> persistent = Set.of(
                AccessFlag.LOCAL_WRITE, AccessFlag.REMOTE_WRITE, AccessFlag.FLUSH_GLOBAL, AccessFlag.FLUSH_PERSISTENT);
        try (ConformanceTarget target = opener.get();
                Endpoint sender = new Endpoint(target, target.first(), EndpointSetup.OPEN);
                Endpoint owner = new Endpoint(target, target.second(), EndpointSetup.OPEN.remoteRights(global));
                MemoryRegion region = owner.pd.registerMemory(memory, persistent)) {
            sender.connectTo(owner, LinkSetup.DEFAULT);
            owner.connectTo(sender, LinkSetup.DEFAULT);
            owner.qp.modify(QpAttributes.builder().accessFlags(persistent).build());
            sender.qp.postSend(SendRequest.flush(
                            region.rkey(),
                            region.iova(),
                            memory.byteSize(),
                            Set.of(FlushType.PERSISTENT),
                            FlushLevel.RANGE)
                    .signaled()
                    .build());
            return sender.awaitSends(1).getFirst().status();
        }
    }

    private static int run(String... command) throws IOException, InterruptedException {
        Process process = new ProcessBuilder(command)
                .redirectErrorStream(true)
                .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                .start();
        if (!process.waitFor(20, TimeUnit.SECONDS)) {
            process.destroyForcibly();
            return -1;
        }
        return process.exitValue();
    }
}
