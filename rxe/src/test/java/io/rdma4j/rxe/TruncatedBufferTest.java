// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.rxe;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.rdma4j.testing.conformance.harness.ConformanceTarget;
import io.rdma4j.testing.endpoint.Endpoint;
import io.rdma4j.testing.endpoint.EndpointSetup;
import io.rdma4j.testing.endpoint.LinkSetup;
import io.rdma4j.verbs.AsyncEvent;
import io.rdma4j.verbs.CompletionQueue;
import io.rdma4j.verbs.Context;
import io.rdma4j.verbs.MemoryRegion;
import io.rdma4j.verbs.ReceiveRequest;
import io.rdma4j.verbs.values.AccessFlag;
import io.rdma4j.verbs.values.EventType;
import io.rdma4j.verbs.wr.WaitStrategy;
import io.rdma4j.verbs.wr.WcStatus;
import io.rdma4j.verbs.wr.WorkCompletion;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * A process of the same user truncates the file behind {@link Context#allocateBuffer} memory. Any later access to the
 * memory raises SIGBUS.
 */
@Timeout(240)
class TruncatedBufferTest {
    private static final Duration TIMEOUT = Duration.ofSeconds(30);
    private static final Set<AccessFlag> ACCESS = Set.of(AccessFlag.LOCAL_WRITE);

    /**
     * Number of messages until the methods that access memory are compiled. Compiled code throws some instructions
     * after the access.
     */
    private static final int WARM_UP_MESSAGES = 5_000;

    /** The process whose memory is truncated. */
    enum Whose {
        SENDER,
        RECEIVER,
        BOTH
    }

    private static long threads() {
        return Thread.getAllStackTraces().keySet().stream()
                .filter(thread -> thread.getName().startsWith("rdma4j-") && thread.isAlive())
                .count();
    }

    /** The file that is mapped at the start of the region, according to Linux. */
    private static Optional<Path> file(MemoryRegion region) throws IOException {
        try (Stream<String> maps = Files.lines(Path.of("/proc/self/maps"))) {
            return maps.filter(line -> line.contains("/dev/shm/rdma4j-"))
                    .filter(line -> contains(line.substring(0, line.indexOf(' ')), region.address()))
                    .map(line -> Path.of(line.substring(line.indexOf('/'))))
                    .findFirst();
        }
    }

    private static boolean contains(String range, long address) {
        int dash = range.indexOf('-');
        return Long.parseUnsignedLong(range.substring(0, dash), 16) <= address
                && address < Long.parseUnsignedLong(range.substring(dash + 1), 16);
    }

    private static void truncate(MemoryRegion region) throws IOException {
        Optional<Path> file = file(region);
        assertThat(file).as("the file behind shared memory").isPresent();
        try (FileChannel channel = FileChannel.open(file.get(), StandardOpenOption.WRITE)) {
            channel.truncate(0);
        }
    }

    private static boolean isFatal(Context context) throws InterruptedException {
        boolean fatal = false;
        AsyncEvent event;
        while ((event = context.getAsyncEvent(Duration.ZERO)) != null) {
            context.acknowledgeAsyncEvent(event);
            fatal |= event.type() == EventType.DEVICE_FATAL;
        }
        return fatal;
    }

    /**
     * Sends a message from one region to the other. Returns the sender's completion status, or null if there is none in
     * time.
     */
    private static @Nullable WcStatus exchange(
            Endpoint sender, MemoryRegion from, Endpoint receiver, MemoryRegion to, int bytes, WaitStrategy strategy)
            throws InterruptedException {
        receiver.qp.postReceive(ReceiveRequest.of(1, to.sge(0, bytes)));
        sender.qp
                .startSend()
                .signaled()
                .send()
                .sge(from.lkey(), from.iova(), bytes)
                .complete();
        WcStatus status = await(sender.sendCq, strategy);
        return status == WcStatus.SUCCESS ? await(receiver.receiveCq, strategy) : status;
    }

    private static @Nullable WcStatus await(CompletionQueue cq, WaitStrategy strategy) throws InterruptedException {
        List<WorkCompletion> completions = cq.poll(1, TIMEOUT, strategy);
        return completions.isEmpty() ? null : completions.getFirst().status();
    }

    @ParameterizedTest
    @CsvSource({
        "SPIN, SENDER,   64",
        "SPIN, SENDER,   65536",
        "SPIN, RECEIVER, 65536",
        "PARK, SENDER,   64",
        "PARK, BOTH,     65536"
    })
    void theSenderHearsOfAnErrorWhenASharedBufferIsTruncatedAndNothingIsThrown(
            WaitStrategy strategy, Whose whose, int bytes) throws Exception {
        assumeTrue(Files.isDirectory(Path.of("/dev/shm")), "this system has no shared memory");
        long before = threads();
        try (ConformanceTarget target = RxeTargets.sharedMemory();
                Endpoint sender = new Endpoint(target, target.first(), EndpointSetup.DEFAULT);
                Endpoint receiver = new Endpoint(target, target.second(), EndpointSetup.DEFAULT);
                MemoryRegion from = sender.pd.allocateMemory(1 << 16, ACCESS);
                MemoryRegion to = receiver.pd.allocateMemory(1 << 16, ACCESS)) {
            sender.connectTo(receiver, LinkSetup.SHORT_TIMEOUTS);
            receiver.connectTo(sender, LinkSetup.SHORT_TIMEOUTS);
            int messages = strategy == WaitStrategy.SPIN ? WARM_UP_MESSAGES : 10;
            for (int i = 0; i < messages; i++) {
                assertThat(exchange(sender, from, receiver, to, bytes, strategy))
                        .as("message " + i)
                        .isEqualTo(WcStatus.SUCCESS);
            }
            if (whose != Whose.RECEIVER) {
                truncate(from);
            }
            if (whose != Whose.SENDER) {
                truncate(to);
            }
            WcStatus status = exchange(sender, from, receiver, to, bytes, strategy);
            boolean fatal = isFatal(target.first()) || isFatal(target.second());
            assertThat(fatal || status != null && status != WcStatus.SUCCESS)
                    .as("an error is heard of: status " + status + ", fatal " + fatal)
                    .isTrue();
            assertThat(threads()).as("threads of two devices").isEqualTo(before + 2);
        }
    }
}
