// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.transport;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdma4j.base.Mtu;
import io.rdma4j.packet.SkBuff;
import io.rdma4j.testing.ledger.Covers;
import io.rdma4j.transport.memory.RegionKey;
import io.rdma4j.verbs.values.EventType;
import io.rdma4j.verbs.values.QpState;
import io.rdma4j.verbs.wr.WcOpcode;
import io.rdma4j.wire.AtomicEth;
import io.rdma4j.wire.Header;
import io.rdma4j.wire.NakCode;
import io.rdma4j.wire.Opcode;
import io.rdma4j.wire.Syndrome;
import java.lang.foreign.ValueLayout;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Compare-and-swap and fetch-and-add. */
class AtomicTest {
    private final EnginePair pair = EnginePair.rdma();
    private final TestRegion remote = pair.b.shared(64);
    private final TestRegion local = pair.a.region(64);

    @AfterEach
    void close() {
        pair.close();
    }

    private static void set(TestRegion region, long offset, long value) {
        region.memory().set(ValueLayout.JAVA_LONG, offset, value);
    }

    private static long get(TestRegion region, long offset) {
        return region.memory().get(ValueLayout.JAVA_LONG, offset);
    }

    private void compareSwap(long wrId, long compare, long swap) {
        pair.a
                .sends()
                .wrId(wrId)
                .atomicCompareSwap(remote.lkey(), remote.address() + 8, compare, swap)
                .sge(local.lkey(), local.address(), 8)
                .complete();
    }

    private void fetchAdd(long wrId, long add) {
        pair.a
                .sends()
                .wrId(wrId)
                .atomicFetchAdd(remote.lkey(), remote.address() + 8, add)
                .sge(local.lkey(), local.address(), 8)
                .complete();
    }

    @ParameterizedTest
    @CsvSource({"5, 5, 9, 9", "5, 6, 9, 5", "-1, -1, 0, 0", "0, 0, -9223372036854775808, -9223372036854775808"})
    @Covers({"WR-13", "WR-31", "RXE-182", "RXE-217", "RXE-206", "CQ-53"})
    void compareAndSwapBringsTheOldValueAndSwapsIfItIsTheExpectedOne(long before, long compare, long swap, long after) {
        set(remote, 8, before);
        compareSwap(1, compare, swap);
        pair.settle();
        assertThat(pair.a.sendCompletions()).singleElement().satisfies(completion -> {
            assertThat(completion.brief()).isEqualTo("1 SUCCESS");
            assertThat(completion.opcode()).isEqualTo(WcOpcode.COMP_SWAP);
            assertThat(completion.byteLength()).isEqualTo(8);
        });
        assertThat(get(local, 0)).isEqualTo(before);
        assertThat(get(remote, 8)).isEqualTo(after);
        assertThat(get(remote, 0)).isZero();
        assertThat(get(remote, 16)).isZero();
    }

    @ParameterizedTest
    @CsvSource({"5, 7, 12", "9223372036854775807, 1, -9223372036854775808", "-1, 2, 1", "255, 1, 256", "0, -1, -1"})
    @Covers({"WR-14", "WR-31", "RXE-182", "CQ-54"})
    void fetchAndAddBringsTheOldValueAndWrapsAround(long before, long add, long after) {
        set(remote, 8, before);
        fetchAdd(1, add);
        pair.settle();
        assertThat(pair.a.sendCompletions()).singleElement().satisfies(completion -> {
            assertThat(completion.brief()).isEqualTo("1 SUCCESS");
            assertThat(completion.opcode()).isEqualTo(WcOpcode.FETCH_ADD);
        });
        assertThat(get(local, 0)).isEqualTo(before);
        assertThat(get(remote, 8)).isEqualTo(after);
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    @Covers({"RXE-182", "RXE-189"})
    void atomicIsExecutedOnceThoughRequestOrAnswerIsLost(boolean requestLost) {
        pair.network.loseNext(parcel -> parcel.isRequest() == requestLost);
        fetchAdd(1, 1);
        fetchAdd(2, 10);
        pair.run();
        assertThat(pair.a.sendResults()).containsExactly("1 SUCCESS", "2 SUCCESS");
        assertThat(get(remote, 8)).isEqualTo(11);
        assertThat(get(local, 0)).isEqualTo(1);
    }

    @Test
    @Covers("RXE-189")
    void repetitionBringsTheValueOfTheFirstTimeThoughTheMemoryChangedSince() {
        set(remote, 8, 5);
        fetchAdd(1, 1);
        pair.transmit();
        pair.network.duplicate(0);
        pair.network.deliver(0, pair.nowNs());
        pair.b.engine.pollTransmit(pair.nowNs(), 10);
        pair.network.drop(1);
        set(remote, 8, 77);
        pair.settle();
        assertThat(get(local, 0)).isEqualTo(5);
        assertThat(get(remote, 8)).isEqualTo(77);
        assertThat(pair.a.sendResults()).containsExactly("1 SUCCESS");
    }

    @Test
    void repetitionIsAnsweredThoughItsMemoryIsGone() {
        fetchAdd(1, 1);
        pair.network.loseNext(parcel -> !parcel.isRequest());
        pair.settle();
        pair.b.keys.revoke(remote.key());
        pair.run();
        assertThat(pair.a.sendResults()).containsExactly("1 SUCCESS");
    }

    @Test
    void repetitionUnderAnotherOpcodeIsDropped() {
        handMade(Opcode.RC_FETCH_ADD, 100, remote.address());
        pair.transmit();
        pair.network.dropAll();
        pair.network.forgetSent();
        handMade(Opcode.RC_COMPARE_SWAP, 100, remote.address());
        pair.transmit();
        assertThat(pair.network.sent()).isEmpty();
    }

    private void handMade(Opcode opcode, int psn, long address) {
        SkBuff skb = pair.packet(opcode, psn, true, EnginePair.QPN_B, 0);
        AtomicEth.write(skb.memory(), skb.data() + opcode.offsetOf(Header.ATOMICETH), address, remote.lkey(), 1, 0);
        pair.b.receive(skb, pair.nowNs());
        skb.free();
    }

    @ParameterizedTest
    @CsvSource({"RC_FETCH_ADD, 1", "RC_FETCH_ADD, 4", "RC_COMPARE_SWAP, 7"})
    @Covers({"RXE-202", "RXE-182"})
    void misalignedAddressIsAnInvalidRequest(Opcode opcode, int offset) {
        handMade(opcode, 100, remote.address() + offset);
        pair.transmit();
        assertThat(pair.network.responses().getLast().syndrome).isEqualTo(Syndrome.nak(NakCode.INVALID_REQUEST));
        assertThat(pair.b.state()).isEqualTo(QpState.ERR);
        assertThat(pair.b.events).containsExactly(EventType.QP_REQ_ERR);
    }

    @Test
    void addressThatIsEvenForThePeerButNotForThisMachineIsAnInvalidRequest() {
        RegionKey odd = pair.b.keys.register(
                pair.b.protectionDomain, remote.memory().asSlice(4, 32), 0x1000, Endpoint.ALL_RIGHTS);
        pair.a
                .sends()
                .wrId(1)
                .atomicFetchAdd(odd.key(), 0x1008, 1)
                .sge(local.lkey(), local.address(), 8)
                .complete();
        pair.settle();
        assertThat(pair.a.sendResults()).containsExactly("1 REM_INV_REQ_ERR");
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 7, 9, 16, 5000})
    void forgedLengthOtherThanEightIsALengthError(int length) {
        fetchAdd(1, 1);
        RingForgery.sendLength(pair.a.sendQueue, 0, length);
        pair.settle();
        assertThat(pair.a.sendResults()).containsExactly("1 LOC_LEN_ERR");
        assertThat(pair.network.sent()).isEmpty();
    }

    @Test
    void oldValueMayBeScattered() {
        set(remote, 8, 0x0102030405060708L);
        pair.a
                .sends()
                .wrId(1)
                .atomicFetchAdd(remote.lkey(), remote.address() + 8, 1)
                .sge(local.lkey(), local.address() + 3, 3)
                .sge(local.lkey(), local.address() + 20, 5)
                .complete();
        pair.settle();
        assertThat(pair.a.sendResults()).containsExactly("1 SUCCESS");
        byte[] before = new byte[8];
        java.nio.ByteBuffer.wrap(before).order(java.nio.ByteOrder.nativeOrder()).putLong(0x0102030405060708L);
        assertThat(local.bytes(3, 3)).isEqualTo(java.util.Arrays.copyOf(before, 3));
        assertThat(local.bytes(20, 5)).isEqualTo(java.util.Arrays.copyOfRange(before, 3, 8));
    }

    @Test
    void atomicWhoseAnswerHasNowhereToGoIsNotSent() {
        TestRegion readOnly = pair.a.region(8, pair.a.protectionDomain, 0);
        pair.a
                .sends()
                .wrId(1)
                .atomicFetchAdd(remote.lkey(), remote.address() + 8, 1)
                .sge(readOnly.lkey(), readOnly.address(), 8)
                .complete();
        pair.settle();
        assertThat(pair.a.sendResults()).containsExactly("1 LOC_PROT_ERR");
        assertThat(get(remote, 8)).isZero();
        assertThat(pair.b.state()).isEqualTo(QpState.RTS);
    }

    @Test
    void readResponseToAnAtomicIsABadResponse() {
        fetchAdd(1, 1);
        pair.transmit();
        pair.network.dropAll();
        pair.answerToA(Opcode.RC_READ_RESPONSE_ONLY, 100, 8);
        assertThat(pair.a.sendResults()).containsExactly("1 BAD_RESP_ERR");
    }

    @Test
    @Covers("RXE-97")
    void fenceHoldsARequestBackUntilTheReadsAndAtomicsBeforeItAreAnswered() {
        TestRegion source = pair.a.region(8);
        fetchAdd(1, 1);
        pair.a
                .sends()
                .wrId(2)
                .rdmaWrite(remote.lkey(), remote.address())
                .sge(source.lkey(), source.address(), 8)
                .complete();
        pair.a
                .sends()
                .wrId(3)
                .fenced()
                .rdmaWrite(remote.lkey(), remote.address())
                .sge(local.lkey(), local.address(), 8)
                .complete();
        set(remote, 8, 0x55AA);
        pair.transmit();
        assertThat(pair.network.inFlight()).extracting(parcel -> parcel.psn).containsExactly(100, 101);
        pair.settle();
        assertThat(pair.a.sendResults()).containsExactly("1 SUCCESS", "2 SUCCESS", "3 SUCCESS");
        assertThat(get(remote, 0))
                .as("the fenced WRITE carries what the atomic brought")
                .isEqualTo(0x55AA);
    }

    @Test
    @Covers("WR-24")
    void fenceWithoutReadsBeforeItHoldsNothingBack() {
        pair.postReceives(2, 0);
        pair.a.send(1);
        pair.a.sends().wrId(2).fenced().send().complete();
        pair.transmit();
        assertThat(pair.network.inFlight()).hasSize(2);
    }

    @Test
    void atomicsTakeOneSequenceNumberWhateverTheMtu() {
        try (EnginePair small = new EnginePair(new PairSettings().rdma(4).mtu(Mtu.MTU_256))) {
            TestRegion word = small.b.shared(8);
            TestRegion result = small.a.region(8);
            for (int i = 0; i < 3; i++) {
                small.a
                        .sends()
                        .atomicFetchAdd(word.lkey(), word.address(), 1)
                        .sge(result.lkey(), result.address(), 8)
                        .complete();
            }
            small.settle();
            assertThat(small.network.requests())
                    .extracting(parcel -> parcel.psn)
                    .containsExactly(100, 101, 102);
            assertThat(get(word, 0)).isEqualTo(3);
            assertThat(get(result, 0)).isEqualTo(2);
        }
    }
}
