package io.rdma4j.tools;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdma4j.verbs.Rdma;
import java.lang.management.ManagementFactory;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import javax.management.JMException;
import javax.management.ObjectName;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The loop, once it is compiled, allocates nothing: no garbage collection disturbs what it measures. */
@Timeout(180)
class RcPingPongAllocationTest {
    private static final int ITERATIONS = 4000;
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
        PingPongOptions options = PingPongOptions.of(
                new OptionTable(PingPongOptions.table()).parse((words + " -n " + ITERATIONS).split(" ")));
        long least = Long.MAX_VALUE;
        for (int run = 0; run < RUNS && least >= ITERATIONS; run++) {
            least = Math.min(least, allocatedBytes(options));
        }
        assertThat(least).as("bytes in %d iterations", ITERATIONS).isLessThan(ITERATIONS);
    }

    private long allocatedBytes(PingPongOptions options) throws Exception {
        try (PingPongContext here = PingPongContext.open(DeviceChoice.find(Rdma::host, "rxe_lo"), options);
                PingPongContext there = PingPongContext.open(DeviceChoice.find(Rdma::host, "rxe_lo"), options)) {
            RcPingPong client = new RcPingPong(here, options, STALL_NS);
            RcPingPong server = new RcPingPong(there, options, STALL_NS);
            client.prepare();
            server.prepare();
            here.connect(there.localAddress());
            there.connect(here.localAddress());
            Future<PingPongResult> peer = peerThread.submit(() -> server.run(false));
            long before = allocatedByThisThread();
            client.run(true);
            long allocated = allocatedByThisThread() - before;
            assertThat(peer.get().valid()).isTrue();
            return allocated;
        }
    }

    /** By name, as the bean's interface is in a module that the tools do not know. */
    private static long allocatedByThisThread() throws JMException {
        return (Long) ManagementFactory.getPlatformMBeanServer()
                .invoke(
                        new ObjectName(ManagementFactory.THREAD_MXBEAN_NAME),
                        "getThreadAllocatedBytes",
                        new Object[] {Thread.currentThread().threadId()},
                        new String[] {long.class.getName()});
    }
}
