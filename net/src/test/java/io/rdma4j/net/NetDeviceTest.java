// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.net;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.rdma4j.base.Errno;
import io.rdma4j.base.Gid;
import io.rdma4j.base.RdmaException;
import io.rdma4j.net.device.NetDeviceEvent;
import io.rdma4j.net.feature.NetDeviceFeature;
import io.rdma4j.net.ns.NetHost;
import io.rdma4j.net.transmit.NetdevTx;
import io.rdma4j.packet.SkBuff;
import io.rdma4j.packet.SkBuffPool;
import io.rdma4j.testing.fixtures.Packets;
import io.rdma4j.testing.ledger.Covers;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class NetDeviceTest {
    private static final Gid A = Gid.parse("10.0.0.1");

    private final RecordingDriver driver = new RecordingDriver();
    private final SkBuffPool pool = new SkBuffPool(8, 256);
    private final NetDevice device = NetHost.standalone(
            new NetDevice(new NetDeviceSetup("eth0", 3, 1500, 0x52_5400_770001L, List.of(A), Set.of()), driver));
    private final List<NetDeviceEvent> events = new ArrayList<>();

    @AfterEach
    void close() {
        driver.arriving.purge();
        device.unregister();
        pool.close();
        assertThat(pool.leaked()).isZero();
    }

    @Test
    @Covers({"NDEV-1", "NDEV-152"})
    void deviceIsWhatItWasMadeWith() {
        assertThat(device.name()).isEqualTo("eth0");
        assertThat(device.ifindex()).isEqualTo(3);
        assertThat(device.mtu()).isEqualTo(1500);
        assertThat(device.macAddress()).isEqualTo(0x52_5400_770001L);
        assertThat(device.addresses()).containsExactly(A);
        assertThat(device.features().active()).containsExactly(NetDeviceFeature.GRO);
        assertThat(device.driver().udpSourcePort()).isZero();
        assertThat(device).hasToString("3: eth0 mtu 1500 down");
    }

    @ParameterizedTest
    @ValueSource(strings = {"", ".", "..", "a/b", "a:b", "a b", "a\tb", "sixteen-letters-"})
    @Covers({"NDEV-2", "NDEV-4"})
    void badNamesAreRefused(String name) {
        assertThat(NetDeviceSetup.isValidName(name)).isFalse();
        assertThatThrownBy(() -> new NetDeviceSetup(name, 1, 1500, 0, List.of(), Set.of()))
                .isInstanceOfSatisfying(
                        RdmaException.class, e -> assertThat(e.errno()).isEqualTo(Errno.EINVAL));
    }

    @ParameterizedTest
    @ValueSource(strings = {"lo", "...", "rxe_lo", "fifteen-letters"})
    @Covers({"NDEV-2", "NDEV-4"})
    void goodNamesAreTaken(String name) {
        assertThat(NetDeviceSetup.isValidName(name)).isTrue();
    }

    @Test
    void indexAndMtuHaveALeast() {
        assertThatThrownBy(() -> new NetDeviceSetup("a", -1, 1500, 0, List.of(), Set.of()))
                .isInstanceOf(RdmaException.class);
        assertThatThrownBy(() -> new NetDeviceSetup("a", 1, 67, 0, List.of(), Set.of()))
                .isInstanceOf(RdmaException.class);
    }

    @Test
    @Covers({"NDEV-25", "NDEV-27", "NDEV-31", "NDEV-33", "NDEV-34", "NDEV-35"})
    void followersHearOfEveryChangeOnce() {
        device.addListener((who, event) -> {
            assertThat(who).isSameAs(device);
            events.add(event);
        });
        assertThat(device.isUp()).isFalse();
        device.up();
        device.up();
        assertThat(device.isUp()).isTrue();
        device.setMtu(1400);
        device.setMtu(1400);
        device.ip().setGids(List.of(A, Gid.parse("fe80::1")));
        device.ip().setGids(List.of(A, Gid.parse("fe80::1")));
        device.setCarrier(true);
        device.setCarrier(false);
        assertThat(device.isCarrierOk()).isFalse();
        device.setCarrier(true);
        assertThat(device.isCarrierOk()).isTrue();
        device.down();
        device.down();
        device.unregister();
        device.unregister();
        assertThat(events)
                .containsExactly(
                        NetDeviceEvent.UP,
                        NetDeviceEvent.MTU_CHANGE,
                        NetDeviceEvent.ADDRESS_CHANGE,
                        NetDeviceEvent.CARRIER_CHANGE,
                        NetDeviceEvent.CARRIER_CHANGE,
                        NetDeviceEvent.DOWN,
                        NetDeviceEvent.UNREGISTER);
    }

    @Test
    void removedFollowerHearsNothing() {
        NetDeviceListener listener = (_, event) -> events.add(event);
        device.addListener(listener);
        device.removeListener(listener);
        device.up();
        assertThat(events).isEmpty();
    }

    @Test
    @Covers({"NDEV-107", "NDEV-108"})
    void driverIsOpenedStoppedAndReleased() {
        device.up();
        device.unregister();
        assertThat(driver.calls).containsExactly("open", "stop", "uninit");
        assertThatThrownBy(device::up)
                .isInstanceOfSatisfying(
                        RdmaException.class, e -> assertThat(e.errno()).isEqualTo(Errno.ENODEV));
    }

    @Test
    @Covers("NDEV-152")
    void mtuStaysWithinWhatTheLinkCarries() {
        assertThatThrownBy(() -> device.setMtu(67)).isInstanceOf(RdmaException.class);
        assertThatThrownBy(() -> device.setMtu(1501)).isInstanceOf(RdmaException.class);
        device.setMtu(68);
        assertThat(device.mtu()).isEqualTo(68);
    }

    @Test
    void packetsToADeviceThatIsDownOrLostItsLinkAreDropped() {
        assertThat(device.transmit(packet(10))).isEqualTo(NetdevTx.OK);
        device.up();
        device.setCarrier(false);
        assertThat(device.transmit(packet(10))).isEqualTo(NetdevTx.OK);
        assertThat(device.stats().txDropped()).isEqualTo(2);
        assertThat(driver.sent).isEmpty();
    }

    @Test
    @Covers({"NDEV-113", "SKB-10"})
    void sentBufferIsTheDriversAndKnowsItsDevice() {
        device.up();
        driver.keep = true;
        assertThat(device.transmit(packet(10))).isEqualTo(NetdevTx.OK);
        SkBuff skb = driver.whole.getFirst();
        assertThat(skb.meta().device()).isSameAs(device);
        skb.free();
    }

    @Test
    void busyDriverLeavesTheBufferToTheCaller() {
        device.up();
        driver.room = 0;
        SkBuff skb = packet(10);
        assertThat(device.transmit(skb)).isEqualTo(NetdevTx.BUSY);
        assertThat(skb.users()).isEqualTo(1);
        driver.room = 1;
        assertThat(device.transmit(skb)).isEqualTo(NetdevTx.OK);
    }

    @Test
    @Covers({"NQ-26", "NQ-27", "NDEV-193"})
    void packetsGoToTheHandlerAsLongAsThereIsOne() {
        device.up();
        List<Integer> received = new ArrayList<>();
        device.rxHandler().registerReceiver(skb -> {
            assertThat(skb.meta().device()).isSameAs(device);
            received.add(skb.len());
            skb.free();
        });
        assertThatThrownBy(() -> device.rxHandler().registerReceiver(SkBuff::free))
                .isInstanceOfSatisfying(
                        RdmaException.class, e -> assertThat(e.errno()).isEqualTo(Errno.EBUSY));
        driver.arriving.enqueue(packet(10));
        assertThat(device.napi().poll(8)).isEqualTo(1);
        device.rxHandler().unregister();
        driver.arriving.enqueue(packet(20));
        assertThat(device.napi().poll(8)).isEqualTo(1);
        assertThat(received).containsExactly(10);
        assertThat(device.stats().rxPackets()).isEqualTo(1);
        assertThat(device.stats().rxBytes()).isEqualTo(10);
        assertThat(device.stats().rxDropped()).isEqualTo(1);
    }

    @Test
    void pollTakesNoMoreThanItsBudgetAndNothingWhileDown() {
        device.rxHandler().registerReceiver(SkBuff::free);
        for (int i = 0; i < 5; i++) {
            driver.arriving.enqueue(packet(10));
        }
        assertThat(device.napi().poll(3)).isZero();
        device.up();
        assertThat(device.napi().poll(3)).isEqualTo(3);
        assertThat(driver.arriving.length()).isEqualTo(2);
        assertThat(device.napi().poll(3)).isEqualTo(2);
    }

    private SkBuff packet(int length) {
        SkBuff skb = Packets.allocate(pool);
        skb.put(length);
        return skb;
    }
}
