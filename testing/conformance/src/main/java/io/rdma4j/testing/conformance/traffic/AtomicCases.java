// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.testing.conformance.traffic;

import static io.rdma4j.testing.conformance.harness.Refusals.assertRefused;
import static org.assertj.core.api.Assertions.assertThat;

import io.rdma4j.base.Errno;
import io.rdma4j.testing.conformance.harness.Bytes;
import io.rdma4j.testing.conformance.harness.ConformanceCases;
import io.rdma4j.testing.conformance.harness.ConformanceTarget;
import io.rdma4j.testing.endpoint.Endpoint;
import io.rdma4j.testing.endpoint.EndpointSetup;
import io.rdma4j.testing.endpoint.LinkSetup;
import io.rdma4j.testing.endpoint.QpPair;
import io.rdma4j.testing.ledger.Covers;
import io.rdma4j.verbs.MemoryRegion;
import io.rdma4j.verbs.SendRequest;
import io.rdma4j.verbs.device.AtomicCapability;
import io.rdma4j.verbs.device.DeviceCapability;
import io.rdma4j.verbs.values.AccessFlag;
import io.rdma4j.verbs.wr.WcOpcode;
import io.rdma4j.verbs.wr.WcStatus;
import io.rdma4j.verbs.wr.WorkCompletion;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.VarHandle;
import java.util.List;
import java.util.Set;
import java.util.function.Supplier;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Cases for atomics on eight bytes of the peer: {@code test_atomic.AtomicTest}, {@code rc_atomic_write} of {@code
 * test_qpex}.
 */
public abstract class AtomicCases extends ConformanceCases {
    private static final ValueLayout.OfLong LONG = ValueLayout.JAVA_LONG;
    private static final VarHandle VALUE = LONG.varHandle();

    /** Offset of the word in the peer's memory, and of the local word for the original value. */
    private static final long AT = 128;

    private static final int WAVE = 32;

    private QpPair pair;
    private Endpoint a;
    private Endpoint b;

    protected AtomicCases(Supplier<? extends ConformanceTarget> opener) {
        super(opener);
    }

    @BeforeEach
    void connect() {
        Assumptions.assumeTrue(
                context().queryDevice().atomicCapability() != AtomicCapability.NONE, "the device has no atomics");
        pair = connected(EndpointSetup.OPEN, LinkSetup.DEFAULT.rdAtomic(8));
        a = pair.a();
        b = pair.b();
    }

    private static long word(Endpoint of) {
        return of.memory.get(LONG, AT);
    }

    /** Asserts the value of the word and that the bytes around it are unchanged. */
    private static void assertOnly(Endpoint of, long value) {
        assertThat(word(of)).isEqualTo(value);
        Bytes.assertUntouched(of.memory.asSlice(0, AT));
        Bytes.assertUntouched(of.memory.asSlice(AT + Long.BYTES, 1000));
    }

    /**
     * {@code test_atomic_cmp_and_swap}, {@code test_qp_ex_rc_atomic_cmp_swp}: values are integers in host byte order.
     */
    @ParameterizedTest
    @CsvSource({
        "1, 1, 2, 2",
        "1, 3, 2, 1",
        "0, 0, -1, -1",
        "-9223372036854775808, -9223372036854775808, 1234605616436508552, 1234605616436508552",
        "1234605616436508552, 1234605616436508551, 0, 1234605616436508552"
    })
    @Covers({"WR-13", "WR-31", "MR-18", "CQ-53"})
    void compareAndSwapSwapsIfTheValueIsTheExpectedOne(long before, long compare, long swap, long after) {
        b.memory.set(LONG, AT, before);
        a.qp.postSend(SendRequest.atomicCompareSwap(b.mr.rkey(), b.remote(AT), compare, swap)
                .wrId(5)
                .signaled()
                .sge(a.mr.sge(AT, Long.BYTES))
                .build());
        WorkCompletion done = a.awaitSend();
        assertThat(done.wrId()).isEqualTo(5);
        assertThat(done.opcode()).isEqualTo(WcOpcode.COMP_SWAP);
        assertThat(done.byteLength()).isEqualTo(Long.BYTES);
        assertOnly(a, before);
        assertOnly(b, after);
    }

    /** {@code test_atomic_fetch_and_add}, {@code test_qp_ex_rc_atomic_fetch_add}: modulo 2^64. */
    @ParameterizedTest
    @CsvSource({"1, 2, 3", "5, -7, -2", "9223372036854775807, 1, -9223372036854775808", "-1, 1, 0"})
    @Covers({"WR-14", "WR-31", "CQ-54"})
    void fetchAndAddAdds(long before, long add, long after) {
        b.memory.set(LONG, AT, before);
        a.qp.startSend()
                .signaled()
                .atomicFetchAdd(b.mr.rkey(), b.remote(AT), add)
                .sge(a.mr.lkey(), a.mr.address() + AT, Long.BYTES)
                .complete();
        assertThat(a.awaitSend().opcode()).isEqualTo(WcOpcode.FETCH_ADD);
        assertOnly(a, before);
        assertOnly(b, after);
    }

    @Test
    void theOldValueIsScatteredOverPieces() {
        b.memory.set(LONG, AT, 0x1122_3344_5566_7788L);
        a.qp.startSend()
                .signaled()
                .atomicFetchAdd(b.mr.rkey(), b.remote(AT), 0)
                .sge(a.mr.lkey(), a.mr.address() + AT, 3)
                .sge(a.mr.lkey(), a.mr.address(), 0)
                .sge(a.mr.lkey(), a.mr.address() + AT + 3, 5)
                .complete();
        a.awaitSend();
        assertOnly(a, 0x1122_3344_5566_7788L);
    }

    /** {@code test_qp_ex_rc_atomic_write}. */
    @ParameterizedTest
    @ValueSource(longs = {0, -1, 0x1122_3344_5566_7788L})
    @Covers("WR-23")
    void anAtomicWriteReplacesEightBytes(long value) {
        require(DeviceCapability.ATOMIC_WRITE);
        b.memory.set(LONG, AT, 42);
        a.qp.postSend(SendRequest.atomicWrite(b.mr.rkey(), b.remote(AT), value)
                .signaled()
                .build());
        assertThat(a.awaitSend().opcode()).isEqualTo(WcOpcode.ATOMIC_WRITE);
        assertOnly(b, value);
    }

    /** {@code test_atomic_non_aligned_addr}: posting rejects it. */
    @ParameterizedTest
    @ValueSource(ints = {1, 4, 7})
    void anAddressThatIsNoMultipleOfEightIsRefused(int off) {
        long address = b.remote(AT) + off;
        int rkey = b.mr.rkey();
        assertRefused(
                Errno.EINVAL,
                () -> a.qp.startSend()
                        .atomicFetchAdd(rkey, address, 1)
                        .sge(a.mr.lkey(), a.mr.address(), Long.BYTES)
                        .complete());
        assertRefused(
                Errno.EINVAL,
                () -> a.qp.startSend()
                        .atomicCompareSwap(rkey, address, 0, 1)
                        .sge(a.mr.lkey(), a.mr.address(), Long.BYTES)
                        .complete());
        assertOnly(b, 0);
    }

    /** The IOVA of a region may be a multiple of eight where the local address is not. */
    @Test
    @Covers({"RXE-202", "CQ-37"})
    void aWordThatIsNotAlignedInMemoryIsLeftAlone() {
        MemoryRegion askew = closing(b.pd.registerMemory(
                b.memory.asSlice(4, 4092),
                Set.of(AccessFlag.LOCAL_WRITE, AccessFlag.REMOTE_ATOMIC, AccessFlag.ZERO_BASED)));
        a.qp.startSend()
                .atomicFetchAdd(askew.rkey(), 8, 1)
                .sge(a.mr.lkey(), a.mr.address(), Long.BYTES)
                .complete();
        assertThat(a.awaitSends(1).getFirst().status()).isEqualTo(WcStatus.REM_INV_REQ_ERR);
        Bytes.assertUntouched(b.memory);
    }

    /** {@code test_atomic_invalid_lkey}: the peer's word stays unchanged. */
    @ParameterizedTest
    @ValueSource(ints = {0, 1})
    void anAtomicWithoutAPlaceForTheOldValueChangesNothing(int keyMask) {
        b.memory.set(LONG, AT, 7);
        a.qp.startSend()
                .wrId(3)
                .atomicFetchAdd(b.mr.rkey(), b.remote(AT), 1)
                .sge(keyMask == 0 ? ~a.mr.lkey() : a.mr.lkey() ^ keyMask, a.mr.address(), Long.BYTES)
                .complete();
        List<WorkCompletion> failed = a.awaitSends(1);
        assertThat(failed.getFirst().status()).isEqualTo(WcStatus.LOC_PROT_ERR);
        assertThat(failed.getFirst().wrId()).isEqualTo(3);
        assertOnly(b, 7);
    }

    /** Several queue pairs and a thread of the peer's program add to one word, and no addition is lost. */
    @Test
    @Covers({"DEV-21", "RXE-182"})
    void atomicsCountTogetherWithProgramsOfTheSameMachine() throws InterruptedException {
        Assumptions.assumeTrue(
                context().queryDevice().atomicCapability() == AtomicCapability.GLOB,
                "atomics of the device are not atomic against programs");
        QpPair other = connected(EndpointSetup.OPEN, LinkSetup.DEFAULT.rdAtomic(8));
        MemoryRegion shared = closing(other.b().pd.registerMemory(b.memory, b.mr.access()));
        int local = 200_000;
        Thread program = Thread.ofPlatform().start(() -> {
            for (int i = 0; i < local; i++) {
                VALUE.getAndAdd(b.memory, AT, 1L);
            }
        });
        int waves = 0;
        do {
            count(a, b.mr.rkey());
            count(other.a(), shared.rkey());
            a.awaitSend();
            other.a().awaitSend();
            waves++;
        } while (waves < 10 || program.isAlive());
        program.join();
        assertThat(word(b)).isEqualTo(local + 2L * WAVE * waves);
    }

    private void count(Endpoint from, int rkey) {
        var batch = from.qp.startSend();
        for (int i = 0; i < WAVE; i++) {
            if (i == WAVE - 1) {
                batch.signaled();
            }
            batch.atomicFetchAdd(rkey, b.remote(AT), 1).sge(from.mr.lkey(), from.mr.address(), Long.BYTES);
        }
        batch.complete();
    }

    /**
     * The program locks by a local compare-and-swap and the peer by a remote one; only one of them holds the lock at a
     * time.
     */
    @Test
    void compareAndSwapIsALockBetweenProgramAndPeer() {
        int taken = 0;
        for (int i = 0; i < 50; i++) {
            b.memory.set(LONG, AT, 0);
            a.qp.startSend()
                    .signaled()
                    .atomicCompareSwap(b.mr.rkey(), b.remote(AT), 0, 1)
                    .sge(a.mr.lkey(), a.mr.address() + AT, Long.BYTES)
                    .complete();
            boolean mine = VALUE.compareAndSet(b.memory, AT, 0L, 2L);
            a.awaitSend();
            assertThat(word(a)).isEqualTo(mine ? 2 : 0);
            assertThat(word(b)).isEqualTo(mine ? 2 : 1);
            taken += mine ? 1 : 0;
        }
        assertThat(taken).isBetween(0, 50);
    }
}
