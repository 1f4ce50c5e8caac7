// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.bench.micro;

import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OperationsPerInvocation;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;
import org.openjdk.jmh.annotations.Warmup;

/**
 * Measures the engine without device: requester and responder on one thread, packets in a queue, no I/O, no ICRC. Each
 * message is one packet, so messages per second are request packets per second; acknowledgements are additional.
 */
@State(Scope.Thread)
@BenchmarkMode(Mode.Throughput)
@OutputTimeUnit(TimeUnit.SECONDS)
@Fork(1)
@Warmup(iterations = 5, time = 1)
@Measurement(iterations = 5, time = 1)
public class EngineBenchmark {
    private static final int BATCH = 16;
    private static final int QPN_A = 0xA1;
    private static final int QPN_B = 0xB2;
    private static final long STEP_NS = 1000;

    /** Message size. */
    @Param({"64", "4096"})
    public int bytes;

    private final EngineSide a = new EngineSide(QPN_A);
    private final EngineSide b = new EngineSide(QPN_B);
    private long nowNs;

    /** Connects both sides. */
    @Setup
    public void connect() {
        a.connect(QPN_B);
        b.connect(QPN_A);
    }

    /** Frees the memory. */
    @TearDown
    public void close() {
        a.close();
        b.close();
    }

    /** A batch of SENDs, the last one signalled. */
    @Benchmark
    @OperationsPerInvocation(BATCH)
    public int sends() {
        for (int i = 0; i < BATCH; i++) {
            b.postReceive(bytes);
            a.postSend(bytes, i == BATCH - 1);
        }
        return complete(BATCH);
    }

    /** A batch of RDMA WRITEs, the last one signalled. */
    @Benchmark
    @OperationsPerInvocation(BATCH)
    public int writes() {
        for (int i = 0; i < BATCH; i++) {
            a.postWrite(b, bytes, i == BATCH - 1);
        }
        return complete(0);
    }

    /** One SEND at a time, acknowledged and completed on both sides. */
    @Benchmark
    public int oneSend() {
        b.postReceive(bytes);
        a.postSend(bytes, true);
        return complete(1);
    }

    private int complete(int receives) {
        int sent = 0;
        int received = 0;
        while (sent == 0 || received < receives) {
            nowNs += STEP_NS;
            a.transmit(nowNs);
            b.receiveFrom(a, nowNs);
            b.transmit(nowNs);
            a.receiveFrom(b, nowNs);
            sent += a.poll();
            received += b.poll();
        }
        return received;
    }
}
