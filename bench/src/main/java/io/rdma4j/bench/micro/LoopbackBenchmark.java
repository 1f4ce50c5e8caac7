// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.bench.micro;

import io.rdma4j.bench.verbs.SelfPingPong;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;
import org.openjdk.jmh.annotations.Warmup;

/**
 * A complete device with the verbs: two of its queue pairs run a ping-pong on one thread. The result is the round-trip
 * time.
 */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Fork(1)
@Warmup(iterations = 5, time = 1)
@Measurement(iterations = 5, time = 1)
public class LoopbackBenchmark {
    /** Message size. */
    @Param({"64", "4096"})
    public int bytes;

    private @Nullable SelfPingPong pingPong;

    /** Makes the device. */
    @Setup
    public void open() {
        pingPong = new SelfPingPong(bytes);
    }

    /** Closes it. */
    @TearDown
    public void close() {
        if (pingPong != null) {
            pingPong.close();
        }
    }

    /** One round trip. */
    @Benchmark
    public void roundTrip() {
        if (pingPong != null) {
            pingPong.roundTrip();
        }
    }
}
