// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.links;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdma4j.net.feature.NetDeviceFeature;
import io.rdma4j.net.skb.EtherType;
import io.rdma4j.net.skb.FrameCheck;
import io.rdma4j.net.skb.TransmitTimeListener;
import io.rdma4j.packet.SkBuff;
import io.rdma4j.packet.SkBuffPool;
import io.rdma4j.packet.TxFlag;
import io.rdma4j.testing.fixtures.Frames;
import io.rdma4j.testing.fixtures.Packets;
import io.rdma4j.testing.ledger.Covers;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class LinkHardwareTest {
    private static final long A = 0x0200_0000_0001L;
    private static final long B = 0x0200_0000_0002L;

    private final SkBuffPool pool = new SkBuffPool(2, 2048);
    private final VethDevice.Pair pair = VethDevice.pair(
            VethDevice.end("veth0", 1, 1500, A, List.of()), VethDevice.end("veth1", 1, 1500, B, List.of()));
    private final FrameCheck check = new FrameCheck();
    private final List<SkBuff> received = new ArrayList<>();
    private long linkNs = 100;

    LinkHardwareTest() {
        pair.first().up();
        pair.second().up();
        pair.second().protocols().addHandler(EtherType.IPV4, received::add);
    }

    @AfterEach
    void nothingIsLeaked() {
        received.forEach(SkBuff::free);
        pair.first().unregister();
        pair.second().unregister();
        pool.close();
        assertThat(pool.leaked()).isZero();
    }

    private SkBuff frame(int payloadBytes) {
        return Frames.frame(pool, B, A, EtherType.IPV4, Packets.random(payloadBytes, 4));
    }

    private void send(SkBuff skb) {
        pair.first().transmit(skb);
        pair.second().napi().poll(10);
    }

    private SkBuff onlyOne() {
        assertThat(received).hasSize(1);
        return received.getFirst();
    }

    @Test
    @Covers("SKB-68")
    void aFrameThatBringsItsCheckSequenceIsVerifiedAndDeliveredWithoutIt() {
        SkBuff right = frame(1500);
        check.append(right);
        send(right);
        assertThat(onlyOne().len()).isEqualTo(1500);
        assertThat(onlyOne().meta().noFcs()).isFalse();

        SkBuff wrong = frame(100);
        check.append(wrong);
        wrong.memory().set(ValueLayout.JAVA_BYTE, wrong.tail() - 5L, (byte)
                ~wrong.memory().get(ValueLayout.JAVA_BYTE, wrong.tail() - 5L));
        send(wrong);
        assertThat(received).hasSize(1);
        assertThat(pair.second().stats().rxErrors()).isEqualTo(1);
    }

    @Test
    @Covers("SKB-68")
    void aReceiverMayKeepTheCheckSequence() {
        pair.second().features().set(NetDeviceFeature.RXFCS, true);
        SkBuff frame = frame(60);
        check.append(frame);
        byte[] sent = Packets.bytes(frame);
        send(frame);
        SkBuff kept = onlyOne();
        assertThat(kept.meta().noFcs()).isTrue();
        kept.push(14);
        assertThat(Packets.bytes(kept)).isEqualTo(sent);
    }

    @Test
    void withoutIt_theLastFourBytesAreBytesLikeOthers() {
        send(frame(60));
        assertThat(onlyOne().len()).isEqualTo(60);
        assertThat(pair.first().flags().supportsNoFcs()).isTrue();
    }

    private record Told(boolean byLink, long ns) {}

    /** Owner of packets that requests and records transmit timestamps. */
    private static final class Sender implements TransmitTimeListener {
        final List<Told> told = new ArrayList<>();
        boolean inProgress;

        @Override
        public void onTransmitTime(SkBuff skb, boolean byLink) {
            inProgress = skb.shinfo().hasTxFlag(TxFlag.IN_PROGRESS);
            told.add(new Told(byLink, skb.shinfo().hwtstamp()));
        }
    }

    @Test
    @Covers({"SKB-112", "SKB-114", "SKB-121"})
    void theLinkTakesTheTimeOfPacketsWhoseSenderAsksAndSaysThatItWill() {
        pair.clock(() -> linkNs);
        Sender sender = new Sender();
        SkBuff skb = frame(60);
        skb.meta().owner(sender);
        send(skb);
        assertThat(sender.told).as("not asked for").isEmpty();

        SkBuff asked = frame(60);
        asked.meta().owner(sender);
        asked.shinfo().txFlag(TxFlag.HW_TSTAMP, true);
        linkNs = 250;
        send(asked);
        assertThat(sender.told).containsExactly(new Told(true, 250));
        assertThat(sender.inProgress).isTrue();
    }

    @Test
    @Covers("SKB-121")
    void theLinkStampsWhatArrives() {
        pair.clock(() -> linkNs);
        linkNs = 300;
        pair.first().transmit(frame(60));
        linkNs = 450;
        pair.second().napi().poll(1);
        assertThat(onlyOne().shinfo().hwtstamp()).isEqualTo(450);
    }

    @Test
    @Covers("SKB-112")
    void aLinkWithoutAClockTellsNobody() {
        Sender sender = new Sender();
        SkBuff skb = Objects.requireNonNull(frame(60));
        skb.meta().owner(sender);
        skb.shinfo().txFlag(TxFlag.HW_TSTAMP, true);
        send(skb);
        assertThat(sender.told).isEmpty();
        assertThat(onlyOne().shinfo().hwtstamp()).isZero();
    }
}
