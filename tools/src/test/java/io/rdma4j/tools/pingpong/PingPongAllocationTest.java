// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.tools.pingpong;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdma4j.tools.peer.DeviceChoice;
import io.rdma4j.verbs.Rdma;
import java.lang.management.ManagementFactory;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import javax.management.JMException;
import javax.management.ObjectName;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The compiled loop does not allocate, so that no garbage collection disturbs the measurement. */
@Timeout(180)
class PingPongAllocationTest {
    private static final int ITERATIONS = 10_000;
    private static final long BYTES_OF_FIRST_USE = 8192;
    private static final int RUNS = 10;
    private static final long STALL_NS = TimeUnit.SECONDS.toNanos(30);

    private final ExecutorService peerThread = Executors.newSingleThreadExecutor();

    @AfterEach
    void stop() {
        peerThread.shutdownNow();
    }

    @ParameterizedTest
    @ValueSource(strings = {"-c", "-c -N", "-t"})
    void theLoopAllocatesNothing(String words) throws Exception {
        assertThatNothingIsAllocated(new RcPingPong(), words);
    }

    @Test
    void theLoopsOfTheOtherProgramsAllocateNothing() throws Exception {
        for (PingPongProgram program : List.of(new UcPingPong(), new UdPingPong(), new SrqPingPong())) {
            assertThatNothingIsAllocated(program, "-c");
        }
    }

    /** Less than one byte per iteration, except the objects that a queue pair allocates at its first use. */
    private void assertThatNothingIsAllocated(PingPongProgram program, String words) throws Exception {
        PingPongOptions options = PingPongOptionsTest.parse(program, (words + " -n " + ITERATIONS).split(" "));
        long limit = ITERATIONS + (options.queuePairs() - 1) * BYTES_OF_FIRST_USE;
        long least = Long.MAX_VALUE;
        for (int run = 0; run < RUNS && least >= limit; run++) {
            least = Math.min(least, allocatedBytes(program, options));
        }
        assertThat(least)
                .as("bytes in %d iterations of %s", ITERATIONS, program.name())
                .isLessThan(limit);
    }

    private long allocatedBytes(PingPongProgram program, PingPongOptions options) throws Exception {
        try (PingPongContext here = PingPongContext.open(DeviceChoice.find(Rdma::host, "rxe_lo"), program, options);
                PingPongContext there =
                        PingPongContext.open(DeviceChoice.find(Rdma::host, "rxe_lo"), program, options)) {
            PingPongLoop client = new PingPongLoop(here, program, options, STALL_NS);
            PingPongLoop server = new PingPongLoop(there, program, options, STALL_NS);
            client.prepare();
            server.prepare();
            here.connect(there.localAddresses());
            there.connect(here.localAddresses());
            Future<PingPongResult> peer = peerThread.submit(() -> server.run(false));
            long before = allocatedByThisThread();
            client.run(true);
            long allocated = allocatedByThisThread() - before;
            assertThat(peer.get().valid()).isTrue();
            return allocated;
        }
    }

    /** Uses reflection, because the tools do not require the module of the bean's interface. */
    private static long allocatedByThisThread() throws JMException {
        return (Long) ManagementFactory.getPlatformMBeanServer()
                .invoke(
                        new ObjectName(ManagementFactory.THREAD_MXBEAN_NAME),
                        "getThreadAllocatedBytes",
                        new Object[] {Thread.currentThread().threadId()},
                        new String[] {long.class.getName()});
    }
}
