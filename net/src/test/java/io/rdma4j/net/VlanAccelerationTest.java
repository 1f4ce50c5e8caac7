// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.net;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.rdma4j.base.Errno;
import io.rdma4j.base.RdmaException;
import io.rdma4j.net.device.LinkType;
import io.rdma4j.net.feature.NetDeviceFeature;
import io.rdma4j.net.ns.NetHost;
import io.rdma4j.net.skb.EtherType;
import io.rdma4j.net.transmit.NetdevTx;
import io.rdma4j.packet.SkBuff;
import io.rdma4j.packet.SkBuffPool;
import io.rdma4j.packet.SkBuffQueue;
import io.rdma4j.testing.fixtures.Frames;
import io.rdma4j.testing.fixtures.Packets;
import io.rdma4j.testing.ledger.Covers;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Tests how a device and its driver handle VLAN tags. */
class VlanAccelerationTest {
    private static final long OURS = 0x0200_0000_0001L;
    private static final long THEIRS = 0x0200_0000_0002L;
    private static final int TYPE = 0x88B5;
    private static final int TCI = 0x6005;

    private final SkBuffPool pool = new SkBuffPool(4, 2048);
    private final List<NetDevice> devices = new ArrayList<>();

    @AfterEach
    void close() {
        devices.forEach(NetDevice::unregister);
        assertThat(pool.available()).isEqualTo(4);
        pool.close();
    }

    /** Records sent frames with their tags, and VLAN filter calls. */
    private static class Driver implements NetDeviceOps {
        final List<byte[]> sent = new ArrayList<>();
        final List<Integer> tags = new ArrayList<>();
        final SkBuffQueue arriving = new SkBuffQueue(10);
        boolean busy;

        @Override
        public NetdevTx startXmit(SkBuff skb, NetDevice device) {
            if (busy) {
                return NetdevTx.BUSY;
            }
            sent.add(Packets.bytes(skb));
            tags.add(skb.meta().vlanTagPresent() ? skb.meta().vlanTci() : -1);
            skb.free();
            return NetdevTx.OK;
        }

        @Override
        public @Nullable SkBuff pollReceive(NetDevice device) {
            return arriving.dequeue();
        }
    }

    private static final class Filter extends Driver implements VlanFilter {
        final List<String> calls = new ArrayList<>();

        @Override
        public void addVid(NetDevice device, int protocol, int vid) {
            if (vid == 9) {
                throw new RdmaException(Errno.ENOSPC, "no room");
            }
            calls.add("add " + Integer.toHexString(protocol) + " " + vid);
        }

        @Override
        public void killVid(NetDevice device, int protocol, int vid) {
            calls.add("kill " + Integer.toHexString(protocol) + " " + vid);
        }
    }

    private NetDevice device(Driver driver, NetDeviceFeature... features) {
        NetDevice device = new NetDevice(
                new NetDeviceSetup(LinkType.ETHERNET, "eth0", 1, 1500, OURS, List.of(), Set.of(features)), driver);
        NetHost.standalone(device);
        devices.add(device);
        device.up();
        return device;
    }

    private SkBuff tagged() {
        SkBuff skb = Frames.frame(pool, THEIRS, OURS, TYPE, new byte[] {1, 2, 3});
        skb.meta().vlanTag(EtherType.VLAN, TCI);
        return skb;
    }

    private static byte[] frame(boolean tagInside) {
        return tagInside
                ? new byte[] {
                    2, 0, 0, 0, 0, 2, 2, 0, 0, 0, 0, 1, (byte) 0x81, 0, 0x60, 5, (byte) 0x88, (byte) 0xB5, 1, 2, 3
                }
                : new byte[] {2, 0, 0, 0, 0, 2, 2, 0, 0, 0, 0, 1, (byte) 0x88, (byte) 0xB5, 1, 2, 3};
    }

    @Test
    @Covers("NDEV-101")
    void aDriverThatInsertsTagsGetsThemBesideTheFrameAndEveryOtherInsideIt() {
        Driver driver = new Driver();
        NetDevice device = device(driver, NetDeviceFeature.HW_VLAN_CTAG_TX);
        device.transmit(tagged());
        assertThat(driver.tags).containsExactly(TCI);
        assertThat(driver.sent).containsExactly(frame(false));

        device.features().set(NetDeviceFeature.HW_VLAN_CTAG_TX, false);
        device.transmit(tagged());
        assertThat(driver.tags).containsExactly(TCI, -1);
        assertThat(driver.sent.getLast()).isEqualTo(frame(true));
    }

    @Test
    void aFrameThatIsGivenBackHasItsTagBesideItAsBefore() {
        Driver driver = new Driver();
        NetDevice device = device(driver);
        driver.busy = true;
        SkBuff skb = tagged();
        assertThat(device.transmit(skb)).isEqualTo(NetdevTx.BUSY);
        assertThat(Packets.bytes(skb)).isEqualTo(frame(false));
        assertThat(skb.meta().vlanTci()).isEqualTo(TCI);
        assertThat(skb.meta().vlanProto()).isEqualTo(EtherType.VLAN);
        driver.busy = false;
        device.transmit(skb);
        assertThat(driver.sent).containsExactly(frame(true));
    }

    @Test
    void aFrameThatOthersHoldIsCopiedForItsTag() {
        Driver driver = new Driver();
        NetDevice device = device(driver);
        SkBuff skb = tagged();
        skb.get();
        device.transmit(skb);
        assertThat(driver.sent).containsExactly(frame(true));
        assertThat(Packets.bytes(skb)).isEqualTo(frame(false));
        skb.free();
    }

    @Test
    @Covers("NDEV-100")
    void aDriverThatTakesTagsOutIsBelievedAndOneThatCannotBeToldOfVlansIsRefused() {
        Filter driver = new Filter();
        NetDevice device = device(driver, NetDeviceFeature.HW_VLAN_CTAG_RX);
        List<String> received = receiveVlans(device);
        SkBuff accelerated = Frames.frame(pool, OURS, THEIRS, TYPE, new byte[] {1, 2, 3});
        accelerated.meta().vlanTag(EtherType.VLAN, TCI);
        driver.arriving.enqueue(accelerated);
        device.napi().poll(8);
        assertThat(received).containsExactly("5: 3 bytes of 88b5 with 6005");

        assertThatThrownBy(() -> device(new Driver(), NetDeviceFeature.HW_VLAN_CTAG_RX))
                .isInstanceOfSatisfying(
                        RdmaException.class, e -> assertThat(e.errno()).isEqualTo(Errno.EINVAL))
                .hasMessageContaining("buggy VLAN acceleration");
        assertThatThrownBy(() -> device(new Driver(), NetDeviceFeature.HW_VLAN_CTAG_FILTER))
                .hasMessageContaining("buggy VLAN acceleration");
    }

    private static List<String> receiveVlans(NetDevice device) {
        List<String> received = new ArrayList<>();
        for (int vid : new int[] {0, 5}) {
            device.vlans().add(EtherType.VLAN, vid, skb -> {
                received.add(vid + ": " + skb.len() + " bytes of "
                        + Integer.toHexString(skb.meta().protocol()) + " with "
                        + Integer.toHexString(skb.meta().vlanTci()));
                skb.free();
            });
        }
        return received;
    }

    @Test
    void aTagInsideAReceivedFrameIsTakenOutForItsVlan() {
        Driver driver = new Driver();
        NetDevice device = device(driver);
        List<String> received = receiveVlans(device);
        List<Integer> untagged = new ArrayList<>();
        device.protocols().addHandler(TYPE, skb -> {
            untagged.add(skb.len());
            skb.free();
        });
        for (int tci : new int[] {TCI, 0x6006, 0x6000}) {
            driver.arriving.enqueue(Frames.frame(pool, OURS, THEIRS, EtherType.VLAN, new byte[] {
                (byte) (tci >> 8), (byte) tci, (byte) 0x88, (byte) 0xB5, 1, 2, 3
            }));
        }
        device.napi().poll(8);
        assertThat(received).containsExactly("5: 3 bytes of 88b5 with 6005", "0: 3 bytes of 88b5 with 6000");
        assertThat(device.stats().rxDropped()).as("of VLAN 6, which nobody has").isEqualTo(1);

        device.vlans().remove(EtherType.VLAN, 0);
        driver.arriving.enqueue(Frames.frame(
                pool, OURS, THEIRS, EtherType.VLAN, new byte[] {0x60, 0, (byte) 0x88, (byte) 0xB5, 1, 2, 3}));
        driver.arriving.enqueue(Frames.frame(pool, OURS, THEIRS, EtherType.VLAN, new byte[] {0x60, 0, (byte) 0x88}));
        device.napi().poll(8);
        assertThat(untagged).as("a priority is no VLAN").containsExactly(3);
        assertThat(device.stats().rxDropped())
                .as("and one that ends in its tag")
                .isEqualTo(2);
    }

    @Test
    @Covers({"NDEV-102", "NDEV-123", "NDEV-124"})
    void aLinkThatFiltersIsToldOfTheFirstAndTheLastWhoWantsAVlan() {
        Filter filter = new Filter();
        NetDevice device = device(filter, NetDeviceFeature.HW_VLAN_CTAG_FILTER);
        device.vlans().add(EtherType.VLAN, 5, SkBuff::free);
        device.vlans().addVid(EtherType.VLAN, 5);
        device.vlans().add(EtherType.SERVICE_VLAN, 5, SkBuff::free);
        assertThat(filter.calls).containsExactly("add 8100 5");
        device.vlans().remove(EtherType.VLAN, 5);
        assertThat(filter.calls).hasSize(1);
        device.vlans().removeVid(EtherType.VLAN, 5);
        assertThat(filter.calls).containsExactly("add 8100 5", "kill 8100 5");

        Filter deaf = new Filter();
        NetDevice other = device(deaf);
        other.vlans().addVid(EtherType.VLAN, 5);
        other.vlans().removeVid(EtherType.VLAN, 5);
        assertThat(deaf.calls).as("without the feature").isEmpty();
    }

    @Test
    void aVlanIsRefusedWithItsReason() {
        Filter filter = new Filter();
        NetDevice device = device(filter, NetDeviceFeature.HW_VLAN_CTAG_FILTER);
        device.vlans().add(EtherType.VLAN, 5, SkBuff::free);
        refused(Errno.EEXIST, () -> device.vlans().add(EtherType.VLAN, 5, SkBuff::free));
        refused(Errno.ERANGE, () -> device.vlans().add(EtherType.VLAN, 4095, SkBuff::free));
        refused(Errno.EINVAL, () -> device.vlans().add(EtherType.IPV4, 5, SkBuff::free));
        refused(Errno.ENOSPC, () -> device.vlans().add(EtherType.VLAN, 9, SkBuff::free));
        device.vlans().remove(EtherType.VLAN, 5);
        assertThat(filter.calls).containsExactly("add 8100 5", "kill 8100 5");
    }

    private static void refused(Errno errno, Runnable action) {
        assertThatThrownBy(action::run)
                .isInstanceOfSatisfying(
                        RdmaException.class, e -> assertThat(e.errno()).isEqualTo(errno));
    }
}
