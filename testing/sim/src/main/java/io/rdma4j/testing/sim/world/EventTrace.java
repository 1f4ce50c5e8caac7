// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.testing.sim.world;

import io.rdma4j.packet.SkBuff;
import io.rdma4j.wire.Aeth;
import io.rdma4j.wire.Bth;
import io.rdma4j.wire.Feth;
import io.rdma4j.wire.Header;
import io.rdma4j.wire.Opcode;
import io.rdma4j.wire.Syndrome;
import io.rdma4j.wire.ip.Ipv4;
import io.rdma4j.wire.ip.Ipv6;
import io.rdma4j.wire.ip.Udp;
import io.rdma4j.wire.roce.Icrc;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.zip.CRC32;

/**
 * Keeps the last events as numbers, for the analysis of failures, and a hash of all events, to compare two runs.
 * Formats text only on request.
 */
public final class EventTrace {
    /** Number of events kept. */
    static final int CAPACITY = 256;

    private static final long FNV_PRIME = 0x100_0000_01B3L;
    private static final long FNV_BASIS = 0xCBF2_9CE4_8422_2325L;
    private static final int NO_AETH = -1;

    /** Numbers of an event: time, kind and hosts, detail and AETH, length. */
    private static final int NUMBERS = 4;

    private final VirtualClock clock;
    private final CRC32 crc = new CRC32();

    /** The last events, {@link #NUMBERS} each. */
    private final long[] kept = new long[NUMBERS * CAPACITY];

    private boolean hidesAddresses;
    private int count;
    private long hash = FNV_BASIS;

    public EventTrace(VirtualClock clock) {
        this.clock = clock;
    }

    /** Records an event of a packet, which begins with its IP header and may be corrupt. */
    void packet(TraceKind kind, int from, int to, SkBuff packet) {
        MemorySegment memory = packet.memory();
        int ip = packet.data();
        int bth = ip + (Ipv4.version(memory, ip) == Ipv4.VERSION ? Ipv4.BYTES : Ipv6.BYTES) + Udp.BYTES;
        int detail = 0;
        int aeth = NO_AETH;
        if (bth + Bth.BYTES + Aeth.BYTES <= packet.tail()) {
            detail = Bth.opcodeCode(memory, bth) << 24 | Bth.psn(memory, bth);
            Opcode opcode = Bth.opcode(memory, bth);
            if (opcode != null && opcode.carries(Header.AETH)) {
                int at = bth + opcode.offsetOf(Header.AETH);
                aeth = Aeth.syndrome(memory, at) << 24 | Aeth.msn(memory, at);
            }
        }
        int icrc = packet.tail() - Icrc.BYTES;
        // The ICRC represents the whole content.
        mix(hidesAddresses ? contentWithoutAddress(memory, bth, icrc) : Icrc.load(memory, icrc));
        add(kind, from, to, detail, aeth, packet.len());
    }

    /**
     * Excludes the address bytes of requests from the hash from now on: the addresses of fast-registered memory differ
     * from run to run.
     */
    public void hideAddresses() {
        hidesAddresses = true;
    }

    private long contentWithoutAddress(MemorySegment memory, int bth, int end) {
        int rest = bth + Bth.BYTES + Feth.BYTES + Long.BYTES;
        if (rest >= end) {
            return 0;
        }
        crc.reset();
        crc.update(memory.asSlice(bth, Bth.BYTES).asByteBuffer());
        crc.update(memory.asSlice(rest, end - rest).asByteBuffer());
        return crc.getValue();
    }

    /** Records that an application posted a message, or polled its completion. */
    void message(TraceKind kind, int host, int message, int bytes) {
        add(kind, host, host, message, NO_AETH, bytes);
    }

    /**
     * @param detail packets: opcode and PSN; else the number of the message
     * @param aeth packets: syndrome and MSN, if there is an AETH
     * @param bytes length of packet or message
     */
    private void add(TraceKind kind, int from, int to, int detail, int aeth, int bytes) {
        int at = count++ % CAPACITY * NUMBERS;
        keep(at, clock.elapsedNs());
        keep(at + 1, (long) kind.ordinal() << 32 | (long) from << 16 | to);
        keep(at + 2, (long) detail << 32 | Integer.toUnsignedLong(aeth));
        keep(at + 3, bytes);
    }

    private void keep(int at, long value) {
        kept[at] = value;
        mix(value);
    }

    private void mix(long value) {
        hash = (hash ^ value) * FNV_PRIME;
    }

    /** Hash of all events: two runs with the same hash are equal. */
    long hash() {
        return Seeds.mix(hash);
    }

    /** Hash of the events of all traces; that of the trace if there is only one. */
    static long hash(List<EventTrace> traces) {
        long all = traces.getFirst().hash();
        for (EventTrace trace : traces.subList(1, traces.size())) {
            all = (all ^ trace.hash()) * FNV_PRIME;
        }
        return all;
    }

    /** The last events as text, oldest first. */
    List<String> lines() {
        return lines(List.of(this));
    }

    /** The last events of all traces as text, oldest first. */
    static List<String> lines(List<EventTrace> traces) {
        List<long[]> last = new ArrayList<>();
        for (EventTrace trace : traces) {
            for (int i = Math.max(0, trace.count - CAPACITY); i < trace.count; i++) {
                int at = i % CAPACITY * NUMBERS;
                last.add(Arrays.copyOfRange(trace.kept, at, at + NUMBERS));
            }
        }
        last.sort(Comparator.comparingLong(event -> event[0]));
        return last.subList(Math.max(0, last.size() - CAPACITY), last.size()).stream()
                .map(EventTrace::format)
                .toList();
    }

    private static String format(long[] event) {
        String time = String.format("%14.3f us ", event[0] / 1000.0);
        TraceKind kind = TraceKind.values()[(int) (event[1] >>> 32)];
        String host = "host" + (event[1] >>> 16 & 0xFFFF);
        int detail = (int) (event[2] >>> 32);
        int aeth = (int) event[2];
        if (!kind.isPacket()) {
            return time + host + " " + kind.text() + " " + detail + ", " + event[3] + " bytes";
        }
        Opcode opcode = Opcode.of(detail >>> 24);
        String answer =
                aeth == NO_AETH ? "" : String.format(", %s, MSN %d", Syndrome.toString(aeth >>> 24), aeth & 0xFF_FFFF);
        return time
                + String.format(
                        "%s>host%d %s, PSN %06x%s, %d bytes: %s",
                        host,
                        event[1] & 0xFFFF,
                        opcode == null ? "?" : opcode,
                        detail & 0xFF_FFFF,
                        answer,
                        event[3],
                        kind.text());
    }
}
