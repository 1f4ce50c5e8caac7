// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.bench.micro;

import io.rdma4j.wire.Bth;
import io.rdma4j.wire.Opcode;
import io.rdma4j.wire.Reth;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.Warmup;

/** Header codecs: the headers of the first packet of an RDMA WRITE. */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Fork(1)
@Warmup(iterations = 3, time = 1)
@Measurement(iterations = 5, time = 1)
public class HeaderBenchmark {
    private static final int QPN = 0x11;
    private static final int RKEY = 0x1234_5678;
    private static final int PSN_MASK = 0xFF_FFFF;

    private final MemorySegment packet = Arena.ofAuto().allocate(Bth.BYTES + Reth.BYTES, Long.BYTES);
    private int psn;

    /** Writes BTH and RETH. */
    @Benchmark
    public MemorySegment writeHeaders() {
        psn = psn + 1 & PSN_MASK;
        Bth.write(packet, 0, Opcode.RC_WRITE_ONLY, false, false, 0, 0xFFFF, QPN, true, psn);
        Reth.write(packet, Bth.BYTES, packet.address() + psn, RKEY, psn);
        return packet;
    }

    /** Reads the fields that a responder needs. */
    @Benchmark
    public long readHeaders() {
        Opcode opcode = Bth.opcode(packet, 0);
        long fields = opcode == null ? 0 : opcode.headerBytes();
        fields += Bth.destinationQpn(packet, 0) + Bth.psn(packet, 0) + (Bth.ackRequest(packet, 0) ? 1 : 0);
        return fields
                + Reth.virtualAddress(packet, Bth.BYTES)
                + Reth.rkey(packet, Bth.BYTES)
                + Reth.dmaLength(packet, Bth.BYTES);
    }
}
