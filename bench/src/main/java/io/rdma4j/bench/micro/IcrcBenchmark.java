// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.bench.micro;

import io.rdma4j.wire.Bth;
import io.rdma4j.wire.ip.Ipv4;
import io.rdma4j.wire.ip.Udp;
import io.rdma4j.wire.roce.Icrc;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.util.concurrent.TimeUnit;
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
import org.openjdk.jmh.annotations.Warmup;

/** The invariant CRC of a packet over IPv4. */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Fork(1)
@Warmup(iterations = 3, time = 1)
@Measurement(iterations = 5, time = 1)
public class IcrcBenchmark {
    private static final int HEADERS = Ipv4.BYTES + Udp.BYTES + Bth.BYTES;
    private static final int CACHE_LINE = 64;

    /** Payload size. */
    @Param({"64", "4096"})
    public int bytes;

    private final Icrc icrc = new Icrc();
    private MemorySegment packet = MemorySegment.NULL;
    private ByteBuffer view = ByteBuffer.allocateDirect(0);

    /** Makes the packet. */
    @Setup
    public void allocate() {
        packet = Arena.ofAuto().allocate(HEADERS + bytes + (long) Icrc.BYTES, CACHE_LINE);
        view = packet.asByteBuffer();
    }

    /** Computes the ICRC as sender and receiver do. */
    @Benchmark
    public int icrc() {
        return icrc.computeIpv4(packet, view, 0, HEADERS + bytes);
    }
}
