// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.transport;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdma4j.packet.SkBuff;
import io.rdma4j.testing.ledger.Covers;
import io.rdma4j.verbs.values.AccessFlag;
import io.rdma4j.verbs.values.EventType;
import io.rdma4j.verbs.values.QpCreateFlag;
import io.rdma4j.verbs.values.QpState;
import io.rdma4j.verbs.wr.WcOpcode;
import io.rdma4j.verbs.wr.WrOpcode;
import io.rdma4j.wire.AtomicEth;
import io.rdma4j.wire.AtomicMaskEth;
import io.rdma4j.wire.Header;
import io.rdma4j.wire.NakCode;
import io.rdma4j.wire.Opcode;
import io.rdma4j.wire.Syndrome;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.VarHandle;
import java.math.BigInteger;
import java.util.EnumSet;
import java.util.Set;
import java.util.SplittableRandom;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Compare-and-swap of some bits, fetch-and-add to several fields: between queue pairs that agreed on them. */
class MaskedAtomicTest {
    private static final VarHandle VALUE = ValueLayout.JAVA_LONG.varHandle();
    private static final long AT = 8;

    private final EnginePair pair = new EnginePair(new PairSettings().rdma(4).createFlags(QpCreateFlag.MASKED_ATOMICS));
    private final TestRegion remote = pair.b.shared(64);
    private final TestRegion local = pair.a.region(64);

    @AfterEach
    void close() {
        pair.close();
    }

    private static void set(TestRegion region, long value) {
        region.memory().set(ValueLayout.JAVA_LONG, AT, value);
    }

    private static long get(TestRegion region) {
        return region.memory().get(ValueLayout.JAVA_LONG, AT);
    }

    private void compareSwap(long wrId, long compare, long compareMask, long swap, long swapMask) {
        pair.a
                .sends()
                .wrId(wrId)
                .maskedAtomicCompareSwap(remote.lkey(), remote.address() + AT, compare, compareMask, swap, swapMask)
                .sge(local.lkey(), local.address() + AT, 8)
                .complete();
    }

    private static void fetchAdd(EnginePair on, TestRegion from, TestRegion to, long wrId, long add, long boundaries) {
        on.a.sends()
                .wrId(wrId)
                .maskedAtomicFetchAdd(from.lkey(), from.address() + AT, add, boundaries)
                .sge(to.lkey(), to.address() + AT, 8)
                .complete();
    }

    private void fetchAdd(long wrId, long add, long boundaries) {
        fetchAdd(pair, remote, local, wrId, add, boundaries);
    }

    private void assertDone(WcOpcode opcode, long before, long after) {
        pair.settle();
        assertThat(pair.a.sendCompletions()).singleElement().satisfies(completion -> {
            assertThat(completion.brief()).isEqualTo("1 SUCCESS");
            assertThat(completion.opcode()).isEqualTo(opcode);
            assertThat(completion.byteLength()).isEqualTo(8);
        });
        assertThat(get(local)).isEqualTo(before);
        assertThat(get(remote)).isEqualTo(after);
        assertThat(remote.bytes(0, 8)).containsOnly(0);
        assertThat(remote.bytes(16, 8)).containsOnly(0);
    }

    /** All numbers are hexadecimal. */
    @ParameterizedTest
    @CsvSource({
        "1234, 0034, 00FF, 00AB, 00FF, 12AB",
        "1234, FF34, 00FF, FFAB, 0F0F, 1F3B",
        "1234, 0035, 00FF, 00AB, 00FF, 1234",
        "1234, 0000, 0000, FFFF, F000, F234",
        "1234, 1234, FFFF, FFFF, 0000, 1234",
        "8000000000000000, 8000000000000000, 8000000000000000, 1, 8000000000000001, 1"
    })
    @Covers({"WR-20", "WR-32", "WR-31", "CQ-59"})
    void compareAndSwapLooksAtSomeBitsAndReplacesSome(
            String before, String compare, String compareMask, String swap, String swapMask, String after) {
        set(remote, hex(before));
        compareSwap(1, hex(compare), hex(compareMask), hex(swap), hex(swapMask));
        assertDone(WcOpcode.MASKED_COMP_SWAP, hex(before), hex(after));
    }

    /** All numbers are hexadecimal; a set bit of the boundaries ends a field. */
    @ParameterizedTest
    @CsvSource({
        "00FF, 0001, 0000, 0100",
        "00FF, 0001, 0080, 0000",
        "12FF, 0102, 8080, 1301",
        "FFFF, 0101, 8080, 0000",
        "7F7F, 0101, 8080, 8080",
        "0000, FFFF, FFFF, FFFF",
        "FFFF, FFFF, FFFF, 0000",
        "FFFFFFFFFFFFFFFF, 1, 0, 0",
        "FFFFFFFFFFFFFFFF, 1, 80000000, FFFFFFFF00000000",
        "8000000000000000, 8000000000000000, 8000000000000000, 0"
    })
    @Covers({"WR-21", "WR-32", "WR-31", "CQ-60"})
    void fetchAndAddAddsToEachFieldWithoutCarryIntoTheNext(String before, String add, String boundaries, String after) {
        set(remote, hex(before));
        fetchAdd(1, hex(add), hex(boundaries));
        assertDone(WcOpcode.MASKED_FETCH_ADD, hex(before), hex(after));
    }

    private static long hex(String text) {
        return Long.parseUnsignedLong(text, 16);
    }

    @Test
    @Covers("WR-32")
    void fieldsOfAnySizesAddUpAsIfTheyWereNumbersOfTheirOwn() {
        SplittableRandom random = new SplittableRandom(64);
        for (int round = 0; round < 2000; round++) {
            long before = random.nextLong();
            long add = random.nextLong();
            long boundaries = 0;
            for (int fields = random.nextInt(10); fields > 0; fields--) {
                boundaries |= 1L << random.nextInt(Long.SIZE);
            }
            set(remote, before);
            fetchAdd(round, add, boundaries);
            pair.settle();
            assertThat(get(remote)).isEqualTo(fieldByField(before, add, boundaries));
            assertThat(pair.a.sendResults()).containsExactly(round + " SUCCESS");
        }
    }

    private static long fieldByField(long before, long add, long boundaries) {
        long sum = 0;
        int start = 0;
        for (int bit = 0; bit < Long.SIZE; bit++) {
            if (bit == Long.SIZE - 1 || (boundaries >>> bit & 1) != 0) {
                BigInteger size = BigInteger.ONE.shiftLeft(bit + 1 - start);
                BigInteger one = unsigned(before >>> start).mod(size);
                BigInteger other = unsigned(add >>> start).mod(size);
                sum |= one.add(other).mod(size).longValue() << start;
                start = bit + 1;
            }
        }
        return sum;
    }

    private static BigInteger unsigned(long value) {
        return new BigInteger(Long.toUnsignedString(value));
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    @Covers({"WR-20", "WR-21"})
    void maskedAtomicIsExecutedOnceThoughRequestOrAnswerIsLost(boolean requestLost) {
        pair.network.loseNext(parcel -> parcel.isRequest() == requestLost);
        fetchAdd(1, 0x01FF, 0x8080);
        compareSwap(2, 0xFF, 0xFF, 0x22, 0xFF);
        pair.run();
        assertThat(pair.a.sendResults()).containsExactly("1 SUCCESS", "2 SUCCESS");
        assertThat(get(remote)).isEqualTo(0x0122);
        assertThat(get(local)).isEqualTo(0x01FF);
    }

    @Test
    void repetitionBringsTheValueOfTheFirstTimeThoughTheMemoryChangedSince() {
        set(remote, 5);
        fetchAdd(1, 1, 0);
        pair.transmit();
        pair.network.duplicate(0);
        pair.network.deliver(0, pair.nowNs());
        pair.b.engine.pollTransmit(pair.nowNs(), 10);
        pair.network.drop(1);
        set(remote, 77);
        pair.settle();
        assertThat(get(local)).isEqualTo(5);
        assertThat(get(remote)).isEqualTo(77);
        assertThat(pair.a.sendResults()).containsExactly("1 SUCCESS");
    }

    @Test
    void repetitionAsThePlainOperationIsDropped() {
        handMade(pair, Opcode.RC_MASKED_FETCH_ADD, remote, 0);
        pair.transmit();
        pair.network.dropAll();
        pair.network.forgetSent();
        handMade(pair, Opcode.RC_FETCH_ADD, remote, 0);
        pair.transmit();
        assertThat(pair.network.sent()).isEmpty();
        assertThat(get(remote)).isEqualTo(1);
    }

    private static void handMade(EnginePair on, Opcode opcode, TestRegion target, int off) {
        SkBuff skb = on.packet(opcode, PairSettings.PSN_A, true, EnginePair.QPN_B, 0);
        long atomic = skb.data() + (long) opcode.offsetOf(Header.ATOMICETH);
        AtomicEth.write(skb.memory(), atomic, target.address() + AT + off, target.lkey(), 1, 0);
        if (opcode.carries(Header.ATOMICMASKETH)) {
            AtomicMaskEth.write(skb.memory(), skb.data() + (long) opcode.offsetOf(Header.ATOMICMASKETH), 0, 0);
        }
        on.b.receive(skb, on.nowNs());
        skb.free();
    }

    @ParameterizedTest
    @EnumSource(names = {"RC_MASKED_COMPARE_SWAP", "RC_MASKED_FETCH_ADD"})
    void misalignedAddressIsAnInvalidRequest(Opcode opcode) {
        handMade(pair, opcode, remote, 4);
        pair.transmit();
        assertInvalid(pair);
    }

    private static void assertInvalid(EnginePair on) {
        assertThat(on.network.responses().getLast().syndrome).isEqualTo(Syndrome.nak(NakCode.INVALID_REQUEST));
        assertThat(on.b.state()).isEqualTo(QpState.ERR);
        assertThat(on.b.events).containsExactly(EventType.QP_REQ_ERR);
    }

    @ParameterizedTest
    @EnumSource(names = {"RC_MASKED_COMPARE_SWAP", "RC_MASKED_FETCH_ADD"})
    @Covers({"WR-20", "WR-21"})
    void queuePairThatHasNotAgreedTakesThemForInvalidRequests(Opcode opcode) {
        try (EnginePair strict = EnginePair.rdma()) {
            TestRegion word = strict.b.shared(16);
            handMade(strict, opcode, word, 0);
            strict.transmit();
            assertInvalid(strict);
            assertThat(word.bytes(0, 16)).containsOnly(0);
        }
    }

    @ParameterizedTest
    @EnumSource(names = {"MASKED_ATOMIC_CMP_AND_SWP", "MASKED_ATOMIC_FETCH_AND_ADD"})
    void forgedInTheRingOfAQueuePairThatHasNotAgreedTheyAreNotSent(WrOpcode opcode) {
        try (EnginePair strict = EnginePair.rdma()) {
            fetchAdd(strict, strict.b.shared(16), strict.a.region(16), 1, 1, 0);
            RingForgery.sendOpcode(strict.a.sendQueue, 0, opcode.code());
            strict.settle();
            assertThat(strict.a.sendResults()).containsExactly("1 LOC_QP_OP_ERR");
            assertThat(strict.network.sent()).isEmpty();
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void theyNeedTheRightOfAtomics(boolean ofMemory) {
        Set<AccessFlag> others = EnumSet.of(AccessFlag.REMOTE_WRITE, AccessFlag.REMOTE_READ, AccessFlag.LOCAL_WRITE);
        PairSettings settings = new PairSettings().rdma(4).createFlags(QpCreateFlag.MASKED_ATOMICS);
        try (EnginePair poor = new EnginePair(ofMemory ? settings : settings.access(others))) {
            TestRegion word =
                    ofMemory ? poor.b.region(16, poor.b.protectionDomain, AccessFlag.mask(others)) : poor.b.shared(16);
            fetchAdd(poor, word, poor.a.region(16), 1, 1, 0);
            poor.settle();
            assertThat(poor.a.sendResults()).containsExactly(ofMemory ? "1 REM_ACCESS_ERR" : "1 REM_INV_REQ_ERR");
            assertThat(word.bytes(0, 16)).containsOnly(0);
        }
    }

    /** Steps of a thread of this process and of the peer go to two fields of one word, and none is lost. */
    @Test
    void fieldsAreCountedTogetherWithProgramsOfTheSameMachine() throws InterruptedException {
        int steps = 50_000;
        Thread program = Thread.ofPlatform().start(() -> {
            for (int i = 0; i < steps; i++) {
                VALUE.getAndAdd(remote.memory(), AT, 1L);
            }
        });
        long rounds = 0;
        while (rounds < 1000 || program.isAlive()) {
            fetchAdd(0, 1L << 32, 1L << 31);
            pair.settle();
            assertThat(pair.a.sendResults()).containsExactly("0 SUCCESS");
            rounds++;
        }
        program.join();
        assertThat(get(remote)).isEqualTo(rounds << 32 | steps);
    }
}
