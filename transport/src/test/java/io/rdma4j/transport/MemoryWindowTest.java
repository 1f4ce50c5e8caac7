// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.transport;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.rdma4j.base.Errno;
import io.rdma4j.base.RdmaException;
import io.rdma4j.testing.ledger.Covers;
import io.rdma4j.transport.memory.WindowKey;
import io.rdma4j.verbs.values.AccessFlag;
import io.rdma4j.verbs.values.QpState;
import io.rdma4j.verbs.wr.WcOpcode;
import io.rdma4j.verbs.wr.WrOpcode;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Windows of both types: B binds them by work request, A uses them. */
class MemoryWindowTest {
    private static final int READ = AccessFlag.REMOTE_READ.bit();
    private static final int WRITE = AccessFlag.REMOTE_WRITE.bit();
    private static final int ZERO_BASED = AccessFlag.ZERO_BASED.bit();
    private static final int BINDABLE = AccessFlag.LOCAL_WRITE.bit() | AccessFlag.MW_BIND.bit();

    private final EnginePair pair = EnginePair.rdma();
    private final TestRegion region = pair.b.region(4096, pair.b.protectionDomain, BINDABLE);
    private final TestRegion near = pair.a.region(4096).filled(5);

    @AfterEach
    void close() {
        pair.close();
    }

    private WindowKey window(boolean typeTwo) {
        return pair.b.keys.allocateWindow(pair.b.protectionDomain, typeTwo);
    }

    private void bind(long wrId, WindowKey window, int key, long offset, long length, int access) {
        RingForgery.range(
                pair.b, wrId, WrOpcode.BIND_MW, window, key, region.lkey(), region.address() + offset, length, access);
    }

    private void assertRefused(int key, long address) {
        pair.a.write(9, new TestRegion.Piece(key, address, 0), near.first(10));
        pair.settle();
        assertThat(pair.a.sendResults()).containsExactly("9 REM_ACCESS_ERR");
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    @Covers({"MW-4", "MW-7", "WR-22", "WR-36", "CQ-55", "RXE-209"})
    void windowShowsItsPartWithItsOwnRights(boolean typeTwo) {
        WindowKey window = window(typeTwo);
        int key = window.key() + 1;
        bind(1, window, key, 100, 1000, WRITE);
        pair.settle();
        assertThat(pair.b.sendCompletions()).singleElement().satisfies(completion -> {
            assertThat(completion.brief()).isEqualTo("1 SUCCESS");
            assertThat(completion.opcode()).isEqualTo(WcOpcode.BIND_MW);
        });
        assertThat(window.key()).isEqualTo(key);
        pair.a.write(2, new TestRegion.Piece(key, region.address() + 100, 0), near.first(1000));
        pair.settle();
        assertThat(pair.a.sendResults()).containsExactly("2 SUCCESS");
        assertThat(region.bytes(100, 1000)).isEqualTo(near.bytes(0, 1000));
        assertThat(pair.network.requests()).as("binding sends nothing").hasSize(1);
    }

    @ParameterizedTest
    @CsvSource({"99, 10", "1091, 10", "0, 10"})
    void whatLiesOutsideTheWindowIsAnAccessError(long offset, int bytes) {
        WindowKey window = window(true);
        bind(1, window, window.key() + 1, 100, 1000, WRITE);
        pair.settle();
        pair.a.write(9, new TestRegion.Piece(window.key(), region.address() + offset, 0), near.first(bytes));
        pair.settle();
        assertThat(pair.a.sendResults()).containsExactly("9 REM_ACCESS_ERR");
    }

    @Test
    void rightThatTheWindowDoesNotGrantIsAnAccessError() {
        WindowKey window = window(true);
        bind(1, window, window.key() + 1, 0, 1000, READ);
        pair.settle();
        assertRefused(window.key(), region.address());
    }

    @Test
    @Covers("MW-10")
    void zeroBasedWindowBeginsAtZeroForThePeer() {
        WindowKey window = window(true);
        bind(1, window, window.key() + 1, 256, 512, WRITE | READ | ZERO_BASED);
        pair.settle();
        pair.a.write(1, new TestRegion.Piece(window.key(), 0, 0), near.first(512));
        pair.a.read(2, new TestRegion.Piece(window.key(), 12, 0), near.piece(2000, 500));
        pair.settle();
        assertThat(pair.a.sendResults()).containsExactly("1 SUCCESS", "2 SUCCESS");
        assertThat(region.bytes(256, 512)).isEqualTo(near.bytes(0, 512));
        assertThat(near.bytes(2000, 500)).isEqualTo(region.bytes(268, 500));
        assertRefused(window.key(), 503);
    }

    @Test
    void windowOfTypeOneIsBoundAgainUnderAnotherKeyAndTheOldOneIsGone() {
        WindowKey window = window(false);
        bind(1, window, window.key() + 1, 0, 100, WRITE);
        pair.settle();
        int old = window.key();
        bind(2, window, old + 1, 100, 100, WRITE);
        pair.settle();
        pair.a.write(3, new TestRegion.Piece(old + 1, region.address() + 100, 0), near.first(100));
        pair.settle();
        assertThat(pair.a.sendResults()).containsExactly("3 SUCCESS");
        assertRefused(old, region.address());
    }

    @Test
    @Covers("MW-11")
    void windowThatShowsNothingIsAnAccessError() {
        WindowKey window = window(false);
        bind(1, window, window.key() + 1, 0, 100, WRITE);
        bind(2, window, window.key() + 2, 0, 0, WRITE);
        pair.settle();
        assertThat(pair.b.sendResults()).containsExactly("1 SUCCESS", "2 SUCCESS");
        assertThat(region.key().hasWindows()).isFalse();
        assertRefused(window.key(), region.address());
    }

    @Test
    void windowThatWasNeverBoundIsAnAccessError() {
        assertRefused(window(false).key(), region.address());
    }

    @Test
    @Covers("MW-4")
    void windowOfTypeTwoIsForThePeerOfTheQueuePairThatBoundIt() {
        WindowKey window = window(true);
        bind(1, window, window.key() + 1, 0, 100, WRITE);
        pair.settle();
        assertThat(pair.b.keys.lookupRemote(pair.b.protectionDomain, pair.b.engine.core(), window.key(), WRITE))
                .isSameAs(window);
        assertThat(pair.b.keys.lookupRemote(pair.b.protectionDomain, new Object(), window.key(), WRITE))
                .isNull();
        assertThat(pair.b.keys.lookup(pair.b.protectionDomain, window.key(), 0))
                .as("no key for local use")
                .isNull();
    }

    @Test
    @Covers({"MR-12", "MR-19"})
    void regionWithAWindowCannotBeRevokedUntilTheWindowIsGone() {
        WindowKey window = window(true);
        bind(1, window, window.key() + 1, 0, 100, WRITE);
        pair.settle();
        assertThatThrownBy(() -> pair.b.keys.revoke(region.key()))
                .isInstanceOfSatisfying(
                        RdmaException.class, e -> assertThat(e.errno()).isEqualTo(Errno.EBUSY));
        pair.b.keys.revoke(window);
        pair.b.keys.revoke(region.key());
        assertThat(pair.b.keys.at(region.lkey())).isNull();
        assertThat(pair.b.keys.at(window.key())).isNull();
    }

    private void assertBindFails() {
        pair.b.send(2);
        pair.settle();
        assertThat(pair.b.sendResults()).containsExactly("1 MW_BIND_ERR", "2 WR_FLUSH_ERR");
        assertThat(pair.b.state()).isEqualTo(QpState.ERR);
    }

    @ParameterizedTest
    @CsvSource({"-1, 10", "4090, 10", "0, 4097", "0, -1", "4096, 9223372036854775807", "-9223372036854775808, 10"})
    @Covers("CQ-34")
    void windowBeyondItsRegionCannotBeBound(long offset, long length) {
        WindowKey window = window(false);
        bind(1, window, window.key() + 1, offset, length, WRITE);
        assertBindFails();
    }

    @Test
    @Covers("MW-9")
    void regionWithoutTheRightToBindCannotHaveWindows() {
        WindowKey window = window(false);
        TestRegion plain = pair.b.shared(100);
        RingForgery.range(pair.b, 1, WrOpcode.BIND_MW, window, window.key(), plain.lkey(), plain.address(), 10, READ);
        assertBindFails();
    }

    @Test
    void windowThatLetsThePeerWriteNeedsARegionThatIsWrittenTo() {
        WindowKey window = window(false);
        TestRegion readOnly = pair.b.region(100, pair.b.protectionDomain, AccessFlag.MW_BIND.bit());
        RingForgery.range(
                pair.b, 1, WrOpcode.BIND_MW, window, window.key(), readOnly.lkey(), readOnly.address(), 10, WRITE);
        assertBindFails();
    }

    @Test
    void windowAndRegionOfOtherProtectionDomainsCannotBeBound() {
        WindowKey window = window(false);
        TestRegion other = pair.b.region(100, new Object(), BINDABLE);
        RingForgery.range(pair.b, 1, WrOpcode.BIND_MW, window, window.key(), other.lkey(), other.address(), 10, READ);
        assertBindFails();
    }

    @Test
    void windowOfAnotherProtectionDomainCannotBeBound() {
        WindowKey window = pair.b.keys.allocateWindow(new Object(), false);
        bind(1, window, window.key() + 1, 0, 100, WRITE);
        assertBindFails();
    }

    @Test
    void boundWindowOfTypeTwoCannotBeBoundAgain() {
        WindowKey window = window(true);
        bind(1, window, window.key() + 1, 0, 100, WRITE);
        pair.settle();
        pair.b.sendResults();
        bind(1, window, window.key() + 1, 0, 100, WRITE);
        assertBindFails();
    }

    @Test
    void windowOfTypeTwoNeedsAnotherKey() {
        WindowKey window = window(true);
        bind(1, window, window.key(), 0, 100, WRITE);
        assertBindFails();
    }

    @Test
    void keyOfAnotherObjectCannotBeGiven() {
        WindowKey window = window(true);
        bind(1, window, window.key() + 0x100, 0, 100, WRITE);
        assertBindFails();
    }

    @Test
    @Covers({"WR-16", "WR-29", "RXE-180", "MW-1"})
    void sendWithInvalidateTakesAWindowOfTypeTwoBack() {
        WindowKey window = window(true);
        bind(1, window, window.key() + 1, 0, 100, WRITE);
        pair.settle();
        pair.b.receive(7, region.first(100));
        pair.a
                .sends()
                .wrId(2)
                .sendInvalidate(window.key())
                .sge(near.lkey(), near.address(), 100)
                .complete();
        pair.settle();
        assertThat(pair.a.sendResults()).containsExactly("2 SUCCESS");
        assertThat(pair.b.receiveCompletions()).singleElement().satisfies(completion -> {
            assertThat(completion.brief()).isEqualTo("7 SUCCESS");
            assertThat(completion.flags()).isEqualTo(io.rdma4j.verbs.wr.WcFlag.WITH_INV.bit());
            assertThat(completion.immediate()).isEqualTo(window.key());
        });
        assertThat(region.key().hasWindows()).isFalse();
        assertRefused(window.key(), region.address());
    }

    @Test
    void windowOfTypeTwoMayBeBoundAgainAfterItsInvalidation() {
        WindowKey window = window(true);
        int key = window.key();
        bind(1, window, key + 1, 0, 100, WRITE);
        pair.b.sends().wrId(2).localInvalidate(key + 1).complete();
        bind(3, window, key + 2, 100, 100, WRITE);
        pair.settle();
        assertThat(pair.b.sendResults()).containsExactly("1 SUCCESS", "2 SUCCESS", "3 SUCCESS");
        pair.a.write(4, new TestRegion.Piece(key + 2, region.address() + 100, 0), near.first(100));
        pair.settle();
        assertThat(pair.a.sendResults()).containsExactly("4 SUCCESS");
    }

    @Test
    void windowOfTypeOneCannotBeInvalidated() {
        WindowKey window = window(false);
        bind(0, window, window.key() + 1, 0, 100, WRITE);
        pair.settle();
        pair.b.sendResults();
        pair.b.sends().wrId(1).localInvalidate(window.key()).complete();
        assertBindFails();
    }
}
