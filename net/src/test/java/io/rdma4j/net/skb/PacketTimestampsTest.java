// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.net.skb;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.rdma4j.packet.SkBuff;
import io.rdma4j.packet.SkBuffPool;
import io.rdma4j.packet.TxFlag;
import io.rdma4j.testing.fixtures.Packets;
import io.rdma4j.testing.ledger.Covers;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class PacketTimestampsTest {
    private static final long SECOND = 1_000_000_000L;
    private static final Instant MADE_AT = Instant.ofEpochSecond(1_700_000_000L, 5_000);

    private final SkBuffPool pool = new SkBuffPool(1, 128);
    private final SkBuff skb = Packets.allocate(pool);
    private long clockNs = 77;
    private final PacketTimestamps stamps = new PacketTimestamps(() -> clockNs);

    PacketTimestampsTest() {
        stamps.setRealTime(MADE_AT);
    }

    @AfterEach
    void nothingIsLeaked() {
        skb.free();
        pool.close();
        assertThat(pool.leaked()).isZero();
    }

    @Test
    @Covers({"SKB-3", "SKB-5"})
    void aPacketIsStampedWithTheRealTimeWhichTheHostsClockCarriesOn() {
        stamps.enable();
        clockNs += 3 * SECOND;
        stamps.set(skb);
        assertThat(skb.meta().tstamp()).isEqualTo(1_700_000_003L * SECOND + 5_000);
        assertThat(stamps.nowNs()).isEqualTo(skb.meta().tstamp());
    }

    @Test
    @Covers({"SKB-6", "SKB-7"})
    void stampingIsSwitchedOnAndOffByCountedCalls() {
        assertThat(stamps.isEnabled()).isFalse();
        stamps.check(skb);
        assertThat(skb.meta().tstamp()).isZero();
        stamps.enable();
        stamps.enable();
        stamps.disable();
        assertThat(stamps.isEnabled()).as("one still wants stamps").isTrue();
        stamps.check(skb);
        assertThat(skb.meta().tstamp()).isNotZero();
        stamps.disable();
        assertThat(stamps.isEnabled()).isFalse();
        stamps.set(skb);
        assertThat(skb.meta().tstamp()).as("nobody wants it").isZero();
        assertThatThrownBy(stamps::disable).isInstanceOf(IllegalStateException.class);
    }

    @Test
    @Covers({"SKB-6", "SKB-7"})
    void hostsDoNotDisturbEachOther() {
        PacketTimestamps other = new PacketTimestamps(() -> clockNs);
        other.enable();
        stamps.set(skb);
        assertThat(skb.meta().tstamp()).isZero();
    }

    @Test
    void theFirstStampStays() {
        stamps.enable();
        stamps.check(skb);
        long first = skb.meta().tstamp();
        clockNs += SECOND;
        stamps.check(skb);
        assertThat(skb.meta().tstamp()).isEqualTo(first);
        stamps.set(skb);
        assertThat(skb.meta().tstamp()).isEqualTo(first + SECOND);
    }

    @Test
    @Covers("SKB-4")
    void aStampIsGivenInSecondsAndMicroseconds() {
        skb.meta().tstamp(1_700_000_003L * SECOND + 999_999_999);
        assertThat(Timeval.of(skb)).isEqualTo(new Timeval(1_700_000_003L, 999_999));
        skb.meta().tstamp(-1_000);
        assertThat(Timeval.of(skb)).as("before 1970").isEqualTo(new Timeval(-1, 999_999));
    }

    /** Writes down what it is told. */
    private static final class Sender implements TransmitTimeListener {
        final List<String> told = new ArrayList<>();

        @Override
        public void onTransmitTime(SkBuff skb, boolean byLink) {
            told.add(
                    byLink
                            ? "link " + skb.shinfo().hwtstamp()
                            : "host " + skb.meta().tstamp());
        }
    }

    @Test
    @Covers("SKB-113")
    void theSenderWhoAsksIsToldWhenTheHostGaveThePacketToTheLink() {
        Sender sender = new Sender();
        skb.meta().owner(sender);
        stamps.transmitting(skb);
        assertThat(sender.told).as("not asked for").isEmpty();
        skb.shinfo().txFlag(TxFlag.SW_TSTAMP, true);
        stamps.transmitting(skb);
        assertThat(sender.told).containsExactly("host " + (1_700_000_000L * SECOND + 5_000));
    }

    @Test
    @Covers("SKB-114")
    void whereTheLinkTakesTheTimeTheHostDoesNot() {
        Sender sender = new Sender();
        skb.meta().owner(sender);
        skb.shinfo().txFlag(TxFlag.SW_TSTAMP, true);
        skb.shinfo().txFlag(TxFlag.IN_PROGRESS, true);
        stamps.transmitting(skb);
        assertThat(sender.told).isEmpty();
        PacketTimestamps.transmitted(skb, 4711);
        assertThat(sender.told).containsExactly("link 4711");
    }

    @Test
    void anOwnerWhoDoesNotListenIsNoTrouble() {
        skb.meta().owner("somebody");
        skb.shinfo().txFlag(TxFlag.SW_TSTAMP, true);
        stamps.transmitting(skb);
        PacketTimestamps.transmitted(skb, 5);
        assertThat(skb.shinfo().hwtstamp()).isEqualTo(5);
    }
}
