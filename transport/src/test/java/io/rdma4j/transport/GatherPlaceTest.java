// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.transport;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdma4j.base.Mtu;
import io.rdma4j.testing.ledger.Covers;
import io.rdma4j.transport.ScriptedNetwork.Mode;
import io.rdma4j.transport.memory.RegionKey;
import io.rdma4j.verbs.wr.WrOpcode;
import java.lang.foreign.MemorySegment;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Where the bytes of a request are taken from: always where its next packet begins, whatever was sent in between. */
class GatherPlaceTest {
    private static final int BYTES = 5000;
    private static final int QUEUE = 3;

    private static EnginePair pair() {
        return new EnginePair(
                new PairSettings().rdma(4).mode(Mode.CUT).mtu(Mtu.MTU_256).queueEntries(QUEUE));
    }

    private static void fetchAdd(EnginePair pair, long wrId, TestRegion counter, TestRegion old) {
        pair.a
                .sends()
                .wrId(wrId)
                .atomicFetchAdd(counter.lkey(), counter.address(), 1)
                .sge(old.lkey(), old.address(), 8)
                .complete();
    }

    /**
     * The atomic before it ends at the very PSN at which the message begins; what was left of the message at the first
     * try must not go out under the numbers of its beginning.
     */
    @Test
    @Covers("RXE-95")
    void messageThatWasBrokenOffInTheMiddleIsGatheredFromItsBeginning() {
        try (EnginePair pair = pair()) {
            int bytes = 200 * 256;
            TestRegion source = pair.a.region(bytes).filled(1);
            TestRegion target = pair.b.shared(bytes);
            fetchAdd(pair, 1, pair.b.shared(8), pair.a.region(8));
            pair.a.write(2, target.first(0), source.first(bytes));
            pair.transmit();
            pair.network.dropAll();
            pair.run();
            assertThat(pair.a.sendResults()).containsExactly("1 SUCCESS", "2 SUCCESS");
            assertThat(EnginePair.sameBytes(source, target, bytes)).isTrue();
        }
    }

    /** The ring has a slot more than requests. */
    @Test
    void slotThatComesRoundBehindAtomicsIsGatheredAnew() {
        try (EnginePair pair = pair()) {
            TestRegion source = pair.a.region(BYTES).filled(1);
            TestRegion target = pair.b.shared(BYTES);
            TestRegion counter = pair.b.shared(8);
            TestRegion old = pair.a.region(8);
            pair.a.write(1, target.first(0), source.first(10));
            pair.settle();
            for (int i = 0; i < QUEUE; i++) {
                fetchAdd(pair, 2 + i, counter, old);
                pair.settle();
            }
            pair.a.write(9, target.first(0), source.first(BYTES));
            pair.settle();
            assertThat(pair.a.sendResults()).last().isEqualTo("9 SUCCESS");
            assertThat(EnginePair.sameBytes(source, target, BYTES)).isTrue();
        }
    }

    @Test
    void slotThatComesRoundBehindLocalRequestsIsGatheredAnew() {
        try (EnginePair pair = pair()) {
            TestRegion source = pair.a.region(BYTES).filled(1);
            TestRegion target = pair.b.shared(BYTES);
            MemorySegment memory = pair.a.region(4096).memory();
            pair.a.write(1, target.first(0), source.first(10));
            pair.settle();
            for (int i = 0; i < QUEUE; i++) {
                RegionKey region = pair.a.keys.allocateFast(pair.a.protectionDomain);
                region.map(List.of(memory));
                RingForgery.range(
                        pair.a, 2 + i, WrOpcode.REG_MR, region, region.key() + 1, 0, 0, 4096, Endpoint.ALL_RIGHTS);
                pair.settle();
            }
            pair.a.write(9, target.first(0), source.first(BYTES));
            pair.settle();
            assertThat(pair.a.sendResults()).last().isEqualTo("9 SUCCESS");
            assertThat(EnginePair.sameBytes(source, target, BYTES)).isTrue();
        }
    }
}
