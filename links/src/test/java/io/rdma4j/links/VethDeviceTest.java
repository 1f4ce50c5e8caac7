// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.links;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.rdma4j.base.Errno;
import io.rdma4j.base.MacAddress;
import io.rdma4j.base.RdmaException;
import io.rdma4j.net.NetDevice;
import io.rdma4j.net.NetDeviceSetup;
import io.rdma4j.net.device.DeviceFlag;
import io.rdma4j.net.device.LinkType;
import io.rdma4j.net.device.NetDeviceEvent;
import io.rdma4j.net.ethtool.LinkSettings;
import io.rdma4j.net.ns.AttributeTree;
import io.rdma4j.net.ns.NetNamespace;
import io.rdma4j.net.transmit.NetdevTx;
import io.rdma4j.packet.SkBuff;
import io.rdma4j.packet.SkBuffPool;
import io.rdma4j.testing.fixtures.AllocatedBytes;
import io.rdma4j.testing.fixtures.Frames;
import io.rdma4j.testing.fixtures.Packets;
import io.rdma4j.testing.ledger.Covers;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(value = 60, unit = TimeUnit.SECONDS, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class VethDeviceTest {
    private static final long LEFT = MacAddress.parse("02:00:00:00:00:01");
    private static final long RIGHT = MacAddress.parse("02:00:00:00:00:02");
    private static final int TYPE = 0x88B5;
    private static final int QUEUE = 4;

    private final SkBuffPool pool = new SkBuffPool(8, 2048);
    private final VethDevice.Pair pair = VethDevice.pair(
            VethDevice.end("veth0", 2, 1500, LEFT, List.of()),
            VethDevice.end("veth1", 2, 1000, RIGHT, List.of()),
            QUEUE);
    private final NetDevice left = pair.first();
    private final NetDevice right = pair.second();
    private final List<byte[]> received = new ArrayList<>();

    @BeforeEach
    void up() {
        left.up();
        right.up();
        right.protocols().addHandler(TYPE, skb -> {
            received.add(Packets.bytes(skb));
            skb.free();
        });
    }

    @AfterEach
    void close() {
        left.unregister();
        right.unregister();
        pool.close();
        assertThat(pool.leaked()).isZero();
    }

    @Test
    @Covers("NDEV-198")
    void whatOneEndSendsTheOtherReceives() {
        byte[] payload = Packets.random(700, 1);
        assertThat(left.transmit(Frames.frame(pool, RIGHT, LEFT, TYPE, payload)))
                .isEqualTo(NetdevTx.OK);
        assertThat(pool.available())
                .as("the sender has its buffer back at once")
                .isEqualTo(8);
        assertThat(left.napi().poll(8)).isZero();
        assertThat(right.napi().poll(8)).isEqualTo(1);
        assertThat(received).containsExactly(payload);
        assertThat(left.stats().txPackets()).isEqualTo(1);
        assertThat(left.stats().txBytes()).isEqualTo(714);
        assertThat(right.stats().rxBytes()).isEqualTo(714);
    }

    @Test
    void fragmentsAreGatheredAndTheirOwnerIsToldAtOnce() {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment memory = arena.allocate(300);
            MemorySegment.copy(Packets.random(300, 2), 0, memory, ValueLayout.JAVA_BYTE, 0, 300);
            SkBuff skb = Frames.frame(pool, RIGHT, LEFT, TYPE, new byte[0]);
            skb.addFrag(memory, 100, 200);
            skb.addFrag(memory, 0, 100);
            AtomicInteger told = new AtomicInteger();
            skb.destructor(_ -> told.incrementAndGet());
            left.transmit(skb);
            assertThat(told).hasValue(1);
        }
        right.napi().poll(8);
        byte[] first = Packets.random(300, 2);
        assertThat(received.getFirst()).hasSize(300).startsWith(Arrays.copyOfRange(first, 100, 300));
    }

    @Test
    void aFragmentWhoseMemoryIsGoneIsAnError() {
        SkBuff skb = Frames.frame(pool, RIGHT, LEFT, TYPE, new byte[0]);
        try (Arena arena = Arena.ofConfined()) {
            skb.addFrag(arena.allocate(300), 0, 300);
        }
        left.transmit(skb);
        assertThat(left.stats().txErrors()).isEqualTo(1);
        assertThat(right.napi().poll(8)).isZero();
    }

    @Test
    @Covers({"NDEV-198", "NDEV-33"})
    void bothEndsHaveACarrierWhileBothAreUp() {
        List<NetDeviceEvent> events = new ArrayList<>();
        left.addListener((_, event) -> events.add(event));
        assertThat(left.isCarrierOk()).isTrue();
        assertThat(right.isCarrierOk()).isTrue();
        right.down();
        assertThat(left.isCarrierOk()).isFalse();
        assertThat(left.isUp()).isTrue();
        left.transmit(frame());
        assertThat(left.stats().txDropped()).isEqualTo(1);
        left.down();
        right.up();
        assertThat(right.isCarrierOk()).isFalse();
        left.up();
        assertThat(left.isCarrierOk()).isTrue();
        assertThat(right.isCarrierOk()).isTrue();
        assertThat(events)
                .containsExactly(
                        NetDeviceEvent.CARRIER_CHANGE,
                        NetDeviceEvent.DOWN,
                        NetDeviceEvent.UP,
                        NetDeviceEvent.CARRIER_CHANGE);
    }

    @Test
    void whatTheOtherEndHasNoRoomForIsDroppedAndCounted() {
        for (int i = 0; i < QUEUE + 2; i++) {
            assertThat(left.transmit(frame())).isEqualTo(NetdevTx.OK);
        }
        assertThat(left.stats().txPackets()).isEqualTo(QUEUE);
        assertThat(left.stats().txDropped()).isEqualTo(2);
        assertThat(right.napi().poll(64)).isEqualTo(QUEUE);
        left.transmit(frame());
        assertThat(right.napi().poll(64)).isEqualTo(1);
    }

    @Test
    void aFrameLongerThanTheOtherEndTakesIsDropped() {
        left.transmit(Frames.frame(pool, RIGHT, LEFT, TYPE, new byte[1005]));
        assertThat(left.stats().txDropped()).isEqualTo(1);
        left.transmit(Frames.frame(pool, RIGHT, LEFT, TYPE, new byte[1004]));
        assertThat(right.napi().poll(8)).as("the MTU and a tag").isEqualTo(1);
    }

    @Test
    @Covers({"NDEV-130", "NDEV-132"})
    void itsDriverTellsWhyFramesWereLost() {
        for (int i = 0; i < QUEUE + 2; i++) {
            left.transmit(frame());
        }
        left.transmit(Frames.frame(pool, RIGHT, LEFT, TYPE, new byte[1005]));
        assertThat(left.ethtool().statistics())
                .containsExactly(
                        Map.entry("peer_ifindex", (long) right.ifindex()),
                        Map.entry("tx_unwanted", 1L),
                        Map.entry("tx_no_room", 2L),
                        Map.entry("tx_memory_gone", 0L));
        assertThat(left.ethtool().driverInfo().driver()).isEqualTo("veth");
        assertThat(left.ethtool().linkSettings()).isEqualTo(new LinkSettings(10_000, LinkSettings.Duplex.FULL, false));
        assertThat(left.ethtool().ring().rx()).isEqualTo(QUEUE);
    }

    @Test
    void whatIsUnderWayWhenAnEndGoesDownIsLost() {
        left.transmit(frame());
        right.down();
        right.up();
        assertThat(right.napi().poll(8)).isZero();
    }

    @Test
    void oneEndMayGoAwayWhileItsFramesAreUnderWay() {
        left.transmit(frame());
        left.unregister();
        assertThat(right.napi().poll(8)).isEqualTo(1);
        assertThat(received).hasSize(1);
        right.transmit(frame());
        assertThat(right.stats().txDropped()).isEqualTo(1);
    }

    @Test
    void onlyEthernetDevicesMakeAPair() {
        NetDeviceSetup ip = new NetDeviceSetup("ip0", 1, 1500, 0, List.of(), Set.of());
        assertThatThrownBy(() -> VethDevice.pair(ip, ip))
                .isInstanceOfSatisfying(
                        RdmaException.class, e -> assertThat(e.errno()).isEqualTo(Errno.EINVAL));
    }

    @Test
    void aFrameSchedulesTheReceiverOfTheOtherEnd() {
        right.napi().run(64);
        assertThat(right.napi().isScheduled()).isFalse();
        left.transmit(frame());
        assertThat(right.napi().isScheduled()).isTrue();
        assertThat(right.napi().run(64)).isEqualTo(1);
        assertThat(right.napi().isScheduled()).isFalse();
    }

    @Test
    @Covers("NDEV-198")
    void twoThreadsLoseNothingButWhatIsCounted() throws InterruptedException {
        int count = 100_000;
        Thread sender = Thread.ofPlatform().start(() -> {
            for (int i = 0; i < count; i++) {
                left.transmit(frame());
            }
        });
        AtomicInteger got = new AtomicInteger();
        right.protocols().removeHandler(TYPE);
        right.protocols().addHandler(TYPE, skb -> {
            got.incrementAndGet();
            skb.free();
        });
        while (sender.isAlive()) {
            right.napi().poll(64);
        }
        right.napi().poll(64);
        assertThat(left.stats().txPackets()).isEqualTo(got.get());
        assertThat(left.stats().txPackets() + left.stats().txDropped()).isEqualTo(count);
    }

    @Test
    void steadyStateAllocatesNothing() {
        right.protocols().removeHandler(TYPE);
        right.protocols().addHandler(TYPE, SkBuff::free);
        byte[] payload = new byte[64];
        long bytes = AllocatedBytes.inSteadyState(() -> {
            for (int i = 0; i < 20_000; i++) {
                left.transmit(Frames.frame(pool, RIGHT, LEFT, TYPE, payload));
                right.napi().poll(4);
            }
        });
        assertThat(bytes).isZero();
        assertThat(right.stats().rxPackets()).isEqualTo(left.stats().txPackets());
    }

    private SkBuff frame() {
        return Frames.frame(pool, RIGHT, LEFT, TYPE, new byte[46]);
    }

    @Test
    @Covers("NDEV-188")
    void theSettingsOfTheLinkAreThoseOfItsPhysicalLayer() {
        VethDevice.Pair pair = VethDevice.pair(
                VethDevice.end("veth0", 0, 1500, 0, List.of()), VethDevice.end("veth1", 0, 1500, 0, List.of()));
        NetDevice veth = pair.first();
        AttributeTree here = NetNamespace.of(veth).attributes();
        assertThat(here.read("/sys/class/net/veth0/speed")).isEqualTo("10000");
        assertThat(here.read("/sys/class/net/veth0/duplex")).isEqualTo("full");
        assertThat(veth.ethtool().linkSettings().autonegotiation()).isFalse();
        veth.unregister();
        pair.second().unregister();
    }

    @Test
    void anEndHasTheDefaultsOfEthernet() {
        NetDeviceSetup veth = VethDevice.end("veth%d", 0, 1500, 0, List.of());
        assertThat(veth.link()).isEqualTo(LinkType.ETHERNET);
        assertThat(veth.flags()).contains(DeviceFlag.BROADCAST, DeviceFlag.MULTICAST);
    }
}
