// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.transport;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdma4j.testing.ledger.Covers;
import io.rdma4j.transport.memory.RegionKey;
import io.rdma4j.verbs.values.AccessFlag;
import io.rdma4j.verbs.values.EventType;
import io.rdma4j.verbs.values.QpState;
import java.util.EnumSet;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Which memory the peer may touch: keys, protection domains, ranges, rights of memory and of queue pair. */
class RemoteAccessTest {
    /** What can be tried on eight bytes. */
    enum Attempt {
        WRITE(AccessFlag.REMOTE_WRITE) {
            @Override
            void post(EnginePair pair, TestRegion.Piece target) {
                pair.a.write(1, target, pair.a.region(8).filled(1).first(8));
            }
        },
        READ(AccessFlag.REMOTE_READ) {
            @Override
            void post(EnginePair pair, TestRegion.Piece target) {
                pair.a.read(1, target, pair.a.region(8).first(8));
            }
        },
        FETCH_ADD(AccessFlag.REMOTE_ATOMIC) {
            @Override
            void post(EnginePair pair, TestRegion.Piece target) {
                TestRegion result = pair.a.region(8);
                pair.a
                        .sends()
                        .wrId(1)
                        .atomicFetchAdd(target.lkey(), target.address(), 1)
                        .sge(result.lkey(), result.address(), 8)
                        .complete();
            }
        },
        COMPARE_SWAP(AccessFlag.REMOTE_ATOMIC) {
            @Override
            void post(EnginePair pair, TestRegion.Piece target) {
                TestRegion result = pair.a.region(8);
                pair.a
                        .sends()
                        .wrId(1)
                        .atomicCompareSwap(target.lkey(), target.address(), 0, 1)
                        .sge(result.lkey(), result.address(), 8)
                        .complete();
            }
        },
        ATOMIC_WRITE(AccessFlag.REMOTE_WRITE) {
            @Override
            void post(EnginePair pair, TestRegion.Piece target) {
                pair.a
                        .sends()
                        .wrId(1)
                        .atomicWrite(target.lkey(), target.address(), 1)
                        .complete();
            }
        };

        final AccessFlag right;

        Attempt(AccessFlag right) {
            this.right = right;
        }

        abstract void post(EnginePair pair, TestRegion.Piece target);
    }

    private static final Set<AccessFlag> REMOTE =
            EnumSet.of(AccessFlag.REMOTE_WRITE, AccessFlag.REMOTE_READ, AccessFlag.REMOTE_ATOMIC);

    private static void assertAccessRefused(EnginePair pair) {
        pair.settle();
        assertThat(pair.a.sendResults()).containsExactly("1 REM_ACCESS_ERR");
        assertThat(pair.b.state()).isEqualTo(QpState.ERR);
        assertThat(pair.b.events).containsExactly(EventType.QP_ACCESS_ERR);
    }

    @ParameterizedTest
    @EnumSource(Attempt.class)
    @Covers({"QP-42", "QP-63", "RXE-172", "EVT-9", "CQ-37"})
    void queuePairThatDoesNotGrantTheRightRefusesTheRequest(Attempt attempt) {
        Set<AccessFlag> others = EnumSet.copyOf(REMOTE);
        others.remove(attempt.right);
        try (EnginePair pair = new EnginePair(new PairSettings().rdma(4).access(others))) {
            TestRegion region = pair.b.shared(8);
            attempt.post(pair, region.first(8));
            pair.settle();
            assertThat(pair.a.sendResults()).containsExactly("1 REM_INV_REQ_ERR");
            assertThat(pair.b.events).containsExactly(EventType.QP_REQ_ERR);
            assertThat(region.bytes(0, 8)).containsOnly(0);
        }
    }

    @ParameterizedTest
    @EnumSource(Attempt.class)
    @Covers({"MR-16", "MR-17", "MR-18", "MR-34", "EVT-10", "CQ-38", "RXE-198"})
    void memoryThatDoesNotGrantTheRightIsAnAccessError(Attempt attempt) {
        Set<AccessFlag> others = EnumSet.copyOf(REMOTE);
        others.remove(attempt.right);
        others.add(AccessFlag.LOCAL_WRITE);
        try (EnginePair pair = EnginePair.rdma()) {
            TestRegion region = pair.b.region(8, pair.b.protectionDomain, AccessFlag.mask(others));
            attempt.post(pair, region.first(8));
            assertAccessRefused(pair);
            assertThat(region.bytes(0, 8)).containsOnly(0);
        }
    }

    @ParameterizedTest
    @EnumSource(Attempt.class)
    void rightsNeededAndNoMoreAreEnough(Attempt attempt) {
        Set<AccessFlag> needed = EnumSet.of(attempt.right);
        try (EnginePair pair = new EnginePair(new PairSettings().rdma(4).access(needed))) {
            needed.add(AccessFlag.LOCAL_WRITE);
            TestRegion region = pair.b.region(8, pair.b.protectionDomain, AccessFlag.mask(needed));
            attempt.post(pair, region.first(8));
            pair.settle();
            assertThat(pair.a.sendResults()).containsExactly("1 SUCCESS");
        }
    }

    @ParameterizedTest
    @EnumSource(Attempt.class)
    @Covers("MR-34")
    void memoryOfAnotherProtectionDomainIsAnAccessError(Attempt attempt) {
        try (EnginePair pair = EnginePair.rdma()) {
            TestRegion region = pair.b.region(8, new Object(), Endpoint.ALL_RIGHTS);
            attempt.post(pair, region.first(8));
            assertAccessRefused(pair);
        }
    }

    @ParameterizedTest
    @EnumSource(Attempt.class)
    void keyThatWasTakenBackIsAnAccessError(Attempt attempt) {
        try (EnginePair pair = EnginePair.rdma()) {
            TestRegion region = pair.b.shared(8);
            pair.b.keys.revoke(region.key());
            attempt.post(pair, region.first(8));
            assertAccessRefused(pair);
        }
    }

    @ParameterizedTest
    @ValueSource(longs = {-8, 8, 64, 96, 1L << 62, Long.MAX_VALUE - 7, Long.MIN_VALUE, Long.MIN_VALUE + 64})
    @Covers("MR-35")
    void rangeOutsideOfTheMemoryIsAnAccessErrorAlsoByOverflow(long offset) {
        for (Attempt attempt : Attempt.values()) {
            try (EnginePair pair = EnginePair.rdma()) {
                TestRegion all = pair.b.shared(24);
                RegionKey key = pair.b.keys.register(
                        pair.b.protectionDomain, all.memory().asSlice(8, 8), all.address() + 8, Endpoint.ALL_RIGHTS);
                attempt.post(pair, new TestRegion.Piece(key.key(), all.address() + 8 + offset, 8));
                assertAccessRefused(pair);
                assertThat(all.bytes(0, 24)).containsOnly(0);
            }
        }
    }

    @Test
    @Covers("MR-35")
    void lengthThatWrapsAroundTheAddressSpaceIsAnAccessError() {
        try (EnginePair pair = EnginePair.rdma()) {
            TestRegion memory = pair.b.shared(4096);
            RegionKey top = pair.b.keys.register(pair.b.protectionDomain, memory.memory(), -4096, Endpoint.ALL_RIGHTS);
            TestRegion source = pair.a.region(5000).filled(1);
            pair.a.write(1, new TestRegion.Piece(top.key(), -4096, 4096), source.first(4096));
            pair.settle();
            assertThat(pair.a.sendResults()).containsExactly("1 SUCCESS");
            pair.a.write(1, new TestRegion.Piece(top.key(), -100, 200), source.first(200));
            assertAccessRefused(pair);
        }
    }
}
