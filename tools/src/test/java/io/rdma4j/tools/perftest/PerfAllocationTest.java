// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.tools.perftest;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdma4j.base.Mtu;
import io.rdma4j.tools.peer.DeviceChoice;
import io.rdma4j.verbs.Rdma;
import java.lang.management.ManagementFactory;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import javax.management.JMException;
import javax.management.ObjectName;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * The allocation of a test does not grow with the number of messages, so that no garbage collection disturbs the
 * measurement.
 */
@Timeout(180)
class PerfAllocationTest {
    private static final int MESSAGES = 10_000;
    private static final int FEW = 100;
    private static final int SIZE = 64;
    private static final int RUNS = 10;
    private static final long STALL_NS = TimeUnit.SECONDS.toNanos(30);

    private final ExecutorService peerThread = Executors.newSingleThreadExecutor();

    @AfterEach
    void stop() {
        peerThread.shutdownNow();
    }

    @ParameterizedTest
    @CsvSource({
        "SEND, LATENCY",
        "WRITE, LATENCY",
        "READ, LATENCY",
        "ATOMIC, LATENCY",
        "SEND, BANDWIDTH",
        "WRITE, BANDWIDTH",
        "READ, BANDWIDTH"
    })
    void aMessageAllocatesNothing(Verb verb, Measure measure) throws Exception {
        PerfTest test = new PerfTest(verb, measure);
        long least = Long.MAX_VALUE;
        for (int run = 0; run < RUNS && least >= MESSAGES; run++) {
            least = Math.min(least, allocated(test, MESSAGES) - allocated(test, FEW));
        }
        assertThat(least).as("bytes for %d messages", MESSAGES - FEW).isLessThan(MESSAGES);
    }

    private long allocated(PerfTest test, int messages) throws Exception {
        int size = test.verb() == Verb.ATOMIC ? PerfTest.ATOMIC_BYTES : SIZE;
        PerfOptions server = PerfOptionTableTest.parse(test, "-n" + messages);
        PerfOptions client = PerfOptionTableTest.parse(test, "-n" + messages, "nobody");
        try (PerfContext here = PerfContext.open(DeviceChoice.find(Rdma::host, "rxe_lo"), 0, client);
                PerfContext there = PerfContext.open(DeviceChoice.find(Rdma::host, "rxe_lo"), 0, server)) {
            here.create(test, PerfContext.PAGE_BYTES, null);
            there.create(test, PerfContext.PAGE_BYTES, null);
            List<PerfAddress> mine = here.localAddresses(false);
            List<PerfAddress> theirs = there.localAddresses(false);
            here.connect(mine, theirs, Mtu.MTU_1024);
            there.connect(theirs, mine, Mtu.MTU_1024);
            Callable<?> peer = prepared(there, test, server, size);
            Callable<?> ours = prepared(here, test, client, size);
            Future<?> served =
                    test.isReceiverIdle(server.load()) ? peerThread.submit(() -> 0) : peerThread.submit(peer);
            long before = allocatedByThisThread();
            ours.call();
            long bytes = allocatedByThisThread() - before;
            served.get();
            return bytes;
        }
    }

    private static Callable<?> prepared(PerfContext context, PerfTest test, PerfOptions options, int size)
            throws Exception {
        if (test.isLatency()) {
            LatencyRunner runner = new LatencyRunner(context, test, options, STALL_NS);
            runner.prepare(size);
            return () -> runner.run(size);
        }
        BandwidthRunner runner =
                new BandwidthRunner(context, options, PerfContext.PAGE_BYTES, PerfContext.LINE_BYTES, STALL_NS);
        runner.prepare(size);
        return () -> runner.run(size, _ -> {});
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
