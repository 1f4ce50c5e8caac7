// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.transport;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdma4j.packet.SkBuff;
import io.rdma4j.testing.ledger.Covers;
import io.rdma4j.transport.memory.RegionKey;
import io.rdma4j.verbs.values.AccessFlag;
import io.rdma4j.verbs.values.QpState;
import io.rdma4j.verbs.wr.FlushLevel;
import io.rdma4j.verbs.wr.FlushType;
import io.rdma4j.verbs.wr.WcOpcode;
import io.rdma4j.wire.Feth;
import io.rdma4j.wire.Header;
import io.rdma4j.wire.NakCode;
import io.rdma4j.wire.Opcode;
import io.rdma4j.wire.Reth;
import io.rdma4j.wire.Syndrome;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** FLUSH and ATOMIC WRITE. */
class FlushTest {
    private static final int GLOBAL = FlushType.GLOBAL.bit();
    private static final int PERSISTENT = FlushType.PERSISTENT.bit();

    private static void flush(EnginePair pair, TestRegion region, long length, int types, FlushLevel level) {
        pair.a
                .sends()
                .wrId(1)
                .flush(region.lkey(), region.address(), length, types, level)
                .complete();
        pair.settle();
    }

    @ParameterizedTest
    @CsvSource({"100, 1, RANGE", "100, 2, RANGE", "50, 3, RANGE", "0, 1, MR", "0, 3, MR", "0, 1, RANGE"})
    @Covers({"WR-23", "RXE-184", "RXE-187", "RXE-207"})
    void flushIsAnsweredByAnEmptyReadResponse(int length, int types, FlushLevel level) {
        try (EnginePair pair = EnginePair.rdma()) {
            TestRegion region = pair.b.shared(100);
            flush(pair, region, length, types, level);
            assertThat(pair.network.sent())
                    .extracting(Parcel::toString)
                    .containsExactly("RC FLUSH 100", "RC RDMA READ Response Only 100");
            assertThat(pair.a.sendCompletions()).singleElement().satisfies(completion -> {
                assertThat(completion.brief()).isEqualTo("1 SUCCESS");
                assertThat(completion.opcode()).isEqualTo(WcOpcode.FLUSH);
            });
        }
    }

    @Test
    void flushOfAlmostFourGibibytesTakesOneSequenceNumber() {
        try (EnginePair pair = EnginePair.rdma()) {
            TestRegion region = pair.b.shared(100);
            pair.postReceives(1, 0);
            pair.a
                    .sends()
                    .wrId(1)
                    .flush(region.lkey(), region.address(), (1L << 32) - 1, GLOBAL, FlushLevel.MR)
                    .wrId(2)
                    .send()
                    .complete();
            pair.settle();
            assertThat(pair.network.requests()).extracting(parcel -> parcel.psn).containsExactly(100, 101);
            assertThat(pair.a.sendResults()).containsExactly("1 SUCCESS", "2 SUCCESS");
        }
    }

    @ParameterizedTest
    @CsvSource({"101, RANGE", "4294967295, RANGE"})
    void flushBeyondTheRegionIsAnAccessError(long length, FlushLevel level) {
        try (EnginePair pair = EnginePair.rdma()) {
            flush(pair, pair.b.shared(100), length, GLOBAL, level);
            assertThat(pair.a.sendResults()).containsExactly("1 REM_ACCESS_ERR");
        }
    }

    @Test
    void flushOfAWholeRegionStillNeedsItsKey() {
        try (EnginePair pair = EnginePair.rdma()) {
            TestRegion region = pair.b.shared(100);
            pair.b.keys.revoke(region.key());
            flush(pair, region, 0, GLOBAL, FlushLevel.MR);
            assertThat(pair.a.sendResults()).containsExactly("1 REM_ACCESS_ERR");
        }
    }

    @ParameterizedTest
    @CsvSource({"1, FLUSH_PERSISTENT", "2, FLUSH_GLOBAL", "3, FLUSH_GLOBAL", "3, FLUSH_PERSISTENT"})
    void flushNeedsTheRightForEachType(int types, AccessFlag granted) {
        try (EnginePair pair = EnginePair.rdma()) {
            TestRegion region =
                    pair.b.region(100, pair.b.protectionDomain, AccessFlag.LOCAL_WRITE.bit() | granted.bit());
            flush(pair, region, 10, types, FlushLevel.RANGE);
            assertThat(pair.a.sendResults()).containsExactly("1 REM_ACCESS_ERR");
        }
    }

    @Test
    void persistentFlushWritesAMappedFileThrough(@TempDir Path directory) throws IOException {
        Path file = directory.resolve("persistent");
        Files.write(file, new byte[8192]);
        try (EnginePair pair = EnginePair.rdma();
                Arena arena = Arena.ofShared();
                FileChannel channel = FileChannel.open(file, StandardOpenOption.READ, StandardOpenOption.WRITE)) {
            MemorySegment mapped = channel.map(FileChannel.MapMode.READ_WRITE, 0, 8192, arena);
            RegionKey key =
                    pair.b.keys.register(pair.b.protectionDomain, mapped, mapped.address(), Endpoint.ALL_RIGHTS);
            TestRegion region = new TestRegion(key, mapped);
            TestRegion source = pair.a.region(100).filled(3);
            pair.a.write(7, region.piece(5000, 0), source.first(100));
            flush(pair, region, 8192, GLOBAL | PERSISTENT, FlushLevel.RANGE);
            assertThat(pair.a.sendResults()).containsExactly("7 SUCCESS", "1 SUCCESS");
            assertThat(java.util.Arrays.copyOfRange(Files.readAllBytes(file), 5000, 5100))
                    .isEqualTo(source.bytes(0, 100));
        }
    }

    @Test
    void reservedSelectivityIsAnInvalidRequest() {
        try (EnginePair pair = EnginePair.rdma()) {
            TestRegion region = pair.b.shared(100);
            SkBuff skb = pair.packet(Opcode.RC_FLUSH, 100, true, EnginePair.QPN_B, 0);
            Feth.write(skb.memory(), skb.data() + Opcode.RC_FLUSH.offsetOf(Header.FETH), GLOBAL, 2);
            int reth = skb.data() + Opcode.RC_FLUSH.offsetOf(Header.RETH);
            Reth.write(skb.memory(), reth, region.address(), region.lkey(), 10);
            pair.b.receive(skb, pair.nowNs());
            skb.free();
            pair.transmit();
            assertThat(pair.network.responses().getLast().syndrome).isEqualTo(Syndrome.nak(NakCode.INVALID_REQUEST));
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    @Covers({"WR-23", "RXE-183", "RXE-189", "RXE-207"})
    void atomicWriteStoresEightBytesOnceThoughRequestOrAnswerIsLost(boolean requestLost) {
        try (EnginePair pair = EnginePair.rdma()) {
            TestRegion word = pair.b.shared(24);
            pair.network.loseNext(parcel -> parcel.isRequest() == requestLost);
            pair.a
                    .sends()
                    .wrId(1)
                    .atomicWrite(word.lkey(), word.address() + 8, 0x1122334455667788L)
                    .complete();
            pair.settle();
            if (!requestLost) {
                word.memory().set(ValueLayout.JAVA_LONG, 8, 5);
            }
            pair.run();
            assertThat(pair.a.sendCompletions()).singleElement().satisfies(completion -> {
                assertThat(completion.brief()).isEqualTo("1 SUCCESS");
                assertThat(completion.opcode()).isEqualTo(WcOpcode.ATOMIC_WRITE);
            });
            assertThat(word.memory().get(ValueLayout.JAVA_LONG, 8)).isEqualTo(requestLost ? 0x1122334455667788L : 5);
            assertThat(word.memory().get(ValueLayout.JAVA_LONG, 0)).isZero();
            assertThat(word.memory().get(ValueLayout.JAVA_LONG, 16)).isZero();
        }
    }

    @ParameterizedTest
    @CsvSource({"7, 8, 0", "9, 8, 0", "0, 0, 0", "8, 0, 0", "8, 16, 0", "8, 8, 4"})
    void atomicWriteOfAnotherLengthOrAtAnOddAddressIsAnInvalidRequest(int dmaLength, int payloadBytes, int offset) {
        try (EnginePair pair = EnginePair.rdma()) {
            TestRegion word = pair.b.shared(24);
            pair.requestToB(Opcode.RC_ATOMIC_WRITE, 100, word.piece(offset, 0), dmaLength, payloadBytes);
            pair.transmit();
            assertThat(pair.network.responses().getLast().syndrome).isEqualTo(Syndrome.nak(NakCode.INVALID_REQUEST));
            assertThat(pair.b.state()).isEqualTo(QpState.ERR);
        }
    }

    @Test
    void forgedLengthOfAnAtomicWriteIsALengthError() {
        try (EnginePair pair = EnginePair.rdma()) {
            TestRegion word = pair.b.shared(8);
            pair.a.sends().wrId(1).atomicWrite(word.lkey(), word.address(), 1).complete();
            RingForgery.sendLength(pair.a.sendQueue, 0, 16);
            pair.settle();
            assertThat(pair.a.sendResults()).containsExactly("1 LOC_LEN_ERR");
        }
    }
}
