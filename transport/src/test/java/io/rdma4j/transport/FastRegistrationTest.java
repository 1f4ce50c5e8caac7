// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.transport;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdma4j.base.Mtu;
import io.rdma4j.testing.ledger.Covers;
import io.rdma4j.transport.ScriptedNetwork.Mode;
import io.rdma4j.transport.memory.RegionKey;
import io.rdma4j.verbs.values.QpState;
import io.rdma4j.verbs.wr.WcFlag;
import io.rdma4j.verbs.wr.WcOpcode;
import io.rdma4j.verbs.wr.WrOpcode;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** REG_MR, LOCAL_INV, SEND with invalidate and READ with invalidate on regions that are registered by work request. */
class FastRegistrationTest {
    private static final int PAGE = 4096;

    /** Pages of {@code memory} in reverse order, so that nothing that is contiguous for requests is so in memory. */
    private static List<MemorySegment> reversedPages(TestRegion memory) {
        List<MemorySegment> pages = new ArrayList<>();
        for (long at = memory.memory().byteSize() - PAGE; at >= 0; at -= PAGE) {
            pages.add(memory.memory().asSlice(at, PAGE));
        }
        return pages;
    }

    private static void register(Endpoint endpoint, long wrId, RegionKey region, int key, long iova, long length) {
        RingForgery.range(endpoint, wrId, WrOpcode.REG_MR, region, key, 0, iova, length, Endpoint.ALL_RIGHTS);
    }

    private static RegionKey registered(EnginePair pair, Endpoint endpoint, List<MemorySegment> pieces, long iova) {
        RegionKey region = endpoint.keys.allocateFast(endpoint.protectionDomain);
        region.map(pieces);
        long length = pieces.stream().mapToLong(MemorySegment::byteSize).sum();
        register(endpoint, 1, region, region.key() + 1, iova, length);
        pair.settle();
        assertThat(endpoint.sendCompletions()).singleElement().satisfies(completion -> {
            assertThat(completion.brief()).isEqualTo("1 SUCCESS");
            assertThat(completion.opcode()).isEqualTo(WcOpcode.REG_MR);
        });
        return region;
    }

    private static byte[] inOrder(TestRegion memory) {
        byte[] all = new byte[(int) memory.memory().byteSize()];
        int at = 0;
        for (MemorySegment page : reversedPages(memory)) {
            System.arraycopy(page.toArray(ValueLayout.JAVA_BYTE), 0, all, at, PAGE);
            at += PAGE;
        }
        return all;
    }

    @ParameterizedTest
    @EnumSource(Mode.class)
    @Covers({"WR-19", "CQ-58"})
    void scatteredPagesAreOneRegionForThePeerAndForLocalRequests(Mode mode) {
        PairSettings settings = new PairSettings().rdma(4).mode(mode).mtu(Mtu.MTU_4096);
        try (EnginePair pair = new EnginePair(settings)) {
            int bytes = 50 * PAGE;
            TestRegion near = pair.a.region(bytes).filled(3);
            TestRegion far = pair.b.shared(bytes);
            TestRegion back = pair.a.region(bytes);
            RegionKey fastNear = registered(pair, pair.a, reversedPages(near), 0x7000_0000L);
            RegionKey fastFar = registered(pair, pair.b, reversedPages(far), 0x12340);
            RegionKey fastBack = registered(pair, pair.a, reversedPages(back), 0);
            int odd = bytes - 200;
            pair.a.write(
                    2,
                    new TestRegion.Piece(fastFar.key(), 0x12340 + 100, 0),
                    new TestRegion.Piece(fastNear.key(), 0x7000_0000L + 100, odd));
            pair.a.read(
                    3,
                    new TestRegion.Piece(fastFar.key(), 0x12340 + 100, 0),
                    new TestRegion.Piece(fastBack.key(), 100, odd));
            pair.settle();
            assertThat(pair.a.sendResults()).containsExactly("2 SUCCESS", "3 SUCCESS");
            byte[] expected = Arrays.copyOfRange(inOrder(near), 100, 100 + odd);
            assertThat(Arrays.copyOfRange(inOrder(far), 100, 100 + odd)).isEqualTo(expected);
            assertThat(Arrays.copyOfRange(inOrder(back), 100, 100 + odd)).isEqualTo(expected);
        }
    }

    @Test
    void moreFragmentsThanABufferHasMakeShorterTrains() {
        PairSettings settings = new PairSettings().rdma(4).mtu(Mtu.MTU_4096).maxSge(16);
        try (EnginePair pair = new EnginePair(settings)) {
            TestRegion near = pair.a.region(12 * PAGE).filled(3);
            // The core would not map such small pieces; here they stand for very many.
            List<MemorySegment> crumbs = new ArrayList<>();
            for (int at = 0; at < 12 * PAGE; at += 256) {
                crumbs.add(near.memory().asSlice(at, 256));
            }
            TestRegion target = pair.b.shared(12 * PAGE);
            RegionKey fast = registered(pair, pair.a, crumbs, 0x1000);
            pair.a.write(2, target.first(0), new TestRegion.Piece(fast.key(), 0x1000, 12 * PAGE));
            pair.settle();
            assertThat(pair.a.sendResults()).containsExactly("2 SUCCESS");
            assertThat(EnginePair.sameBytes(near, target, 12 * PAGE)).isTrue();
        }
    }

    @Test
    @Covers({"WR-18", "CQ-57"})
    void invalidatedKeyIsGoodForNobody() {
        try (EnginePair pair = EnginePair.rdma()) {
            TestRegion memory = pair.b.shared(PAGE);
            RegionKey fast = registered(pair, pair.b, List.of(memory.memory()), 0);
            pair.b.sends().wrId(2).localInvalidate(fast.key()).complete();
            pair.settle();
            assertThat(pair.b.sendCompletions()).singleElement().satisfies(completion -> {
                assertThat(completion.brief()).isEqualTo("2 SUCCESS");
                assertThat(completion.opcode()).isEqualTo(WcOpcode.LOCAL_INV);
            });
            assertThat(pair.b.keys.lookup(pair.b.protectionDomain, fast.key(), 0))
                    .isNull();
            pair.a.write(
                    3, new TestRegion.Piece(fast.key(), 0, 0), pair.a.region(10).first(10));
            pair.settle();
            assertThat(pair.a.sendResults()).containsExactly("3 REM_ACCESS_ERR");
            assertThat(pair.network.requests()).hasSize(1);
        }
    }

    /**
     * It is late, but nobody has done anything wrong: the peer has had its answer and said that it needs the key no
     * longer.
     */
    @Test
    void repetitionOfAReadThatComesWhenItsKeyIsTakenBackIsDropped() {
        try (EnginePair pair = EnginePair.rdma()) {
            TestRegion memory = pair.b.shared(PAGE).filled(1);
            TestRegion target = pair.a.region(PAGE);
            RegionKey fast = registered(pair, pair.b, List.of(memory.memory()), 0);
            pair.a.read(2, new TestRegion.Piece(fast.key(), 0, 0), target.first(PAGE));
            pair.transmit();
            pair.network.duplicate(0);
            pair.network.deliver(0, pair.nowNs());
            pair.transmit();
            while (pair.network.inFlight().size() > 1) {
                pair.network.deliver(1, pair.nowNs());
            }
            assertThat(pair.a.sendResults()).containsExactly("2 SUCCESS");
            pair.b.sends().wrId(3).localInvalidate(fast.key()).complete();
            pair.transmit();
            assertThat(pair.b.sendResults()).containsExactly("3 SUCCESS");
            assertThat(pair.network.inFlight()).extracting(Parcel::isRequest).containsExactly(true);

            long dropped = pair.b.counters().droppedPackets;
            pair.settle();
            assertThat(pair.b.counters().droppedPackets).isEqualTo(dropped + 1);
            assertThat(pair.b.state()).isEqualTo(QpState.RTS);
            pair.a.write(4, pair.b.shared(PAGE).first(0), target.first(PAGE));
            pair.settle();
            assertThat(pair.a.sendResults()).containsExactly("4 SUCCESS");
        }
    }

    @Test
    void regionIsRegisteredAgainWithOtherMemoryUnderAnotherKey() {
        try (EnginePair pair = EnginePair.rdma()) {
            TestRegion first = pair.b.shared(PAGE);
            TestRegion second = pair.b.shared(PAGE);
            TestRegion source = pair.a.region(PAGE).filled(2);
            RegionKey fast = registered(pair, pair.b, List.of(first.memory()), 0);
            int old = fast.key();
            fast.map(List.of(second.memory()));
            pair.a.write(1, new TestRegion.Piece(old, 0, 0), source.first(PAGE));
            pair.settle();
            assertThat(EnginePair.sameBytes(source, first, PAGE))
                    .as("mapping alone changes nothing")
                    .isTrue();
            pair.b.sends().wrId(2).localInvalidate(old).complete();
            register(pair.b, 3, fast, old + 1, 0x5000, PAGE);
            pair.settle();
            assertThat(pair.b.sendResults()).containsExactly("2 SUCCESS", "3 SUCCESS");
            pair.a.write(4, new TestRegion.Piece(old + 1, 0x5000, 0), source.first(PAGE));
            pair.a.write(5, new TestRegion.Piece(old, 0x5000, 0), source.first(PAGE));
            pair.settle();
            assertThat(pair.a.sendResults()).containsExactly("1 SUCCESS", "4 SUCCESS", "5 REM_ACCESS_ERR");
            assertThat(EnginePair.sameBytes(source, second, PAGE)).isTrue();
        }
    }

    private static void assertFails(EnginePair pair) {
        pair.b.send(2);
        pair.settle();
        assertThat(pair.b.sendResults()).containsExactly("1 MW_BIND_ERR", "2 WR_FLUSH_ERR");
        assertThat(pair.b.state()).isEqualTo(QpState.ERR);
    }

    @Test
    @Covers({"CQ-34", "RXE-98"})
    void registrationOfWhatIsRegisteredFails() {
        try (EnginePair pair = EnginePair.rdma()) {
            RegionKey fast =
                    registered(pair, pair.b, List.of(pair.b.shared(PAGE).memory()), 0);
            register(pair.b, 1, fast, fast.key() + 1, 0, PAGE);
            assertFails(pair);
        }
    }

    /** It would be found out by the first packet only, when it is too late. */
    @Test
    void registrationOfReadOnlyMemoryForWritingFails() {
        try (EnginePair pair = EnginePair.rdma()) {
            RegionKey fast = pair.b.keys.allocateFast(pair.b.protectionDomain);
            fast.map(List.of(pair.b.shared(PAGE).memory().asReadOnly()));
            register(pair.b, 1, fast, fast.key() + 1, 0, PAGE);
            assertFails(pair);
            assertThat(fast.isValid()).isFalse();
        }
    }

    @Test
    void registrationOfAnotherLengthThanWasMappedFails() {
        try (EnginePair pair = EnginePair.rdma()) {
            RegionKey fast = pair.b.keys.allocateFast(pair.b.protectionDomain);
            fast.map(List.of(pair.b.shared(PAGE).memory()));
            register(pair.b, 1, fast, fast.key() + 1, 0, PAGE + 1);
            assertFails(pair);
        }
    }

    @Test
    void registrationOfNothingFails() {
        try (EnginePair pair = EnginePair.rdma()) {
            RegionKey fast = pair.b.keys.allocateFast(pair.b.protectionDomain);
            register(pair.b, 1, fast, fast.key() + 1, 0, 0);
            assertFails(pair);
        }
    }

    @Test
    void registrationForAnotherProtectionDomainFails() {
        try (EnginePair pair = EnginePair.rdma()) {
            RegionKey fast = pair.b.keys.allocateFast(new Object());
            fast.map(List.of(pair.b.shared(PAGE).memory()));
            register(pair.b, 1, fast, fast.key() + 1, 0, PAGE);
            assertFails(pair);
        }
    }

    @Test
    void ordinaryRegionCanNeitherBeRegisteredNorInvalidatedByWorkRequest() {
        for (WrOpcode opcode : List.of(WrOpcode.REG_MR, WrOpcode.LOCAL_INV)) {
            try (EnginePair pair = EnginePair.rdma()) {
                RegionKey plain = pair.b.shared(PAGE).key();
                if (opcode == WrOpcode.REG_MR) {
                    register(pair.b, 1, plain, plain.key() + 1, 0, PAGE);
                } else {
                    pair.b.sends().wrId(1).localInvalidate(plain.key()).complete();
                }
                assertFails(pair);
            }
        }
    }

    @Test
    @Covers("RXE-98")
    void invalidationOfAnUnknownKeyFails() {
        try (EnginePair pair = EnginePair.rdma()) {
            pair.b.sends().wrId(1).localInvalidate(0x77700).complete();
            assertFails(pair);
        }
    }

    @Test
    @Covers({"RXE-97", "RXE-98", "RXE-213"})
    void localRequestsCompleteInTurnAndAreCarriedOutOnceThoughPacketsAreLost() {
        try (EnginePair pair = EnginePair.rdma()) {
            pair.postReceives(3, 10);
            RegionKey fast = pair.a.keys.allocateFast(pair.a.protectionDomain);
            fast.map(List.of(pair.a.shared(PAGE).memory()));
            pair.network.loseNext(Parcel::isRequest);
            pair.a.send(1);
            register(pair.a, 2, fast, fast.key() + 1, 0, PAGE);
            pair.a.send(3, new TestRegion.Piece(fast.key() + 1, 0, 10));
            pair.a.sends().wrId(4).localInvalidate(fast.key() + 1).complete();
            pair.a.send(5);
            pair.transmit();
            assertThat(pair.a.sendResults()).as("the first is not answered").isEmpty();
            pair.run();
            assertThat(pair.a.sendResults())
                    .containsExactly("1 SUCCESS", "2 SUCCESS", "3 SUCCESS", "4 SUCCESS", "5 SUCCESS");
            assertThat(pair.network.requests().stream()
                            .map(parcel -> parcel.psn)
                            .distinct())
                    .containsExactly(100, 101, 102);
        }
    }

    @Test
    @Covers({"WR-24", "RXE-97"})
    void fencedLocalRequestWaitsForReads() {
        try (EnginePair pair = EnginePair.rdma()) {
            TestRegion target = pair.a.region(10);
            RegionKey fast = pair.a.keys.allocateFast(pair.a.protectionDomain);
            fast.map(List.of(target.memory()));
            pair.a.read(1, pair.b.shared(10).first(0), target.first(10));
            register(pair.a, 2, fast, fast.key() + 1, 0, 10);
            RingForgery.sendFlags(pair.a.sendQueue, 1, io.rdma4j.verbs.wr.SendFlag.FENCE.bit());
            pair.transmit();
            assertThat(fast.isValid()).isFalse();
            pair.settle();
            assertThat(fast.isValid()).isTrue();
        }
    }

    @ParameterizedTest
    @EnumSource(Mode.class)
    @Covers({"WR-16", "CQ-67", "CQ-73", "RXE-185"})
    void sendWithInvalidateOfAnySizeTakesTheRegionBack(Mode mode) {
        try (EnginePair pair = new EnginePair(new PairSettings().rdma(1).mode(mode))) {
            RegionKey fast =
                    registered(pair, pair.b, List.of(pair.b.shared(PAGE).memory()), 0);
            TestRegion target = pair.postReceives(1, 3000);
            TestRegion source = pair.a.region(3000).filled(1);
            pair.a
                    .sends()
                    .wrId(1)
                    .sendInvalidate(fast.key())
                    .sge(source.lkey(), source.address(), 3000)
                    .complete();
            pair.settle();
            assertThat(pair.a.sendResults()).containsExactly("1 SUCCESS");
            assertThat(pair.b.receiveCompletions()).singleElement().satisfies(completion -> {
                assertThat(completion.flags()).isEqualTo(WcFlag.WITH_INV.bit());
                assertThat(completion.immediate()).isEqualTo(fast.key());
            });
            assertThat(fast.isValid()).isFalse();
            assertThat(EnginePair.sameBytes(source, target, 3000)).isTrue();
        }
    }

    @Test
    @Covers("RXE-199")
    void sendThatInvalidatesWhatItMustNotEndsTheReceiverWithoutAWord() {
        try (EnginePair pair = EnginePair.rdma()) {
            pair.postReceives(2, 10);
            TestRegion plain = pair.b.shared(10);
            pair.a.sends().wrId(1).sendInvalidate(plain.lkey()).complete();
            pair.run();
            assertThat(pair.b.receiveResults()).containsExactly("0 REM_INV_REQ_ERR", "1 WR_FLUSH_ERR");
            assertThat(pair.b.state()).isEqualTo(QpState.ERR);
            assertThat(pair.network.responses()).isEmpty();
            assertThat(pair.a.sendResults()).containsExactly("1 RETRY_EXC_ERR");
            assertThat(plain.key().isValid()).isTrue();
        }
    }

    @Test
    @Covers("WR-17")
    void readWithInvalidateTakesALocalKeyBackWhenTheDataAreThere() {
        try (EnginePair pair = EnginePair.rdma()) {
            TestRegion source = pair.b.shared(3000).filled(1);
            TestRegion target = pair.a.region(PAGE);
            RegionKey fast = registered(pair, pair.a, List.of(target.memory()), 0);
            pair.a
                    .sends()
                    .wrId(1)
                    .rdmaReadInvalidate(source.lkey(), source.address(), fast.key())
                    .sge(fast.key(), 0, 3000)
                    .complete();
            pair.settle();
            assertThat(pair.a.sendCompletions()).singleElement().satisfies(completion -> {
                assertThat(completion.brief()).isEqualTo("1 SUCCESS");
                assertThat(completion.opcode()).isEqualTo(WcOpcode.RDMA_READ);
            });
            assertThat(EnginePair.sameBytes(source, target, 3000)).isTrue();
            assertThat(fast.isValid()).isFalse();
        }
    }

    @Test
    void readThatInvalidatesWhatItMustNotFails() {
        try (EnginePair pair = EnginePair.rdma()) {
            TestRegion source = pair.b.shared(10).filled(1);
            TestRegion target = pair.a.region(10);
            pair.a
                    .sends()
                    .wrId(1)
                    .rdmaReadInvalidate(source.lkey(), source.address(), target.lkey())
                    .sge(target.lkey(), target.address(), 10)
                    .complete();
            pair.settle();
            assertThat(pair.a.sendResults()).containsExactly("1 MW_BIND_ERR");
            assertThat(pair.a.state()).isEqualTo(QpState.ERR);
        }
    }
}
