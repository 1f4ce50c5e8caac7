// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.net;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdma4j.base.Gid;
import io.rdma4j.net.feature.FeatureSet;
import io.rdma4j.net.feature.NetDeviceFeature;
import io.rdma4j.net.ns.NetHost;
import io.rdma4j.net.skb.EtherType;
import io.rdma4j.net.skb.HookPoint;
import io.rdma4j.net.transmit.NetdevTx;
import io.rdma4j.packet.SkBuff;
import io.rdma4j.packet.SkBuffPool;
import io.rdma4j.packet.TxFlag;
import io.rdma4j.testing.fixtures.Packets;
import io.rdma4j.testing.ledger.Covers;
import io.rdma4j.wire.ip.Ipv4;
import io.rdma4j.wire.ip.Udp;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class DeviceHooksTest {
    private static final Gid A = Gid.ofIpv4(0x0A000001);
    private static final Gid B = Gid.ofIpv4(0x0A000002);

    private final SkBuffPool pool = new SkBuffPool(4, 256);
    private final RecordingDriver driver = new RecordingDriver();
    private final NetDevice device = NetHost.standalone(new NetDevice(
            new NetDeviceSetup(
                    "eth1", 1, 200, 0, List.of(), FeatureSet.of(NetDeviceFeature.SG, NetDeviceFeature.HIGHDMA)),
            driver));
    private final List<SkBuff> received = new ArrayList<>();

    DeviceHooksTest() {
        device.up();
        device.protocols().addHandler(EtherType.IPV4, received::add);
    }

    @AfterEach
    void nothingIsLeaked() {
        received.forEach(SkBuff::free);
        device.unregister();
        pool.close();
        assertThat(pool.leaked()).isZero();
    }

    private SkBuff packet(int toPort) {
        return Packets.udp(pool, A, 1, B, toPort, new byte[10]);
    }

    private static int destinationPort(SkBuff skb) {
        return Udp.destinationPort(skb.memory(), skb.data() + (long) Ipv4.BYTES);
    }

    private void arrive(SkBuff skb) {
        driver.arriving.enqueue(skb);
        device.napi().poll(1);
    }

    @Test
    @Covers("SKB-74")
    void allThatEntersByADeviceIsMarkedAndSomeOfItDropped() {
        device.hooks().register(HookPoint.INGRESS, 0, (_, skb, in, _) -> {
            skb.marks().mark(in == device ? 0x1234 : 0);
            return true;
        });
        device.hooks()
                .register(
                        HookPoint.INGRESS,
                        1,
                        (_, skb, _, _) -> skb.marks().mark() != 0x1234 || destinationPort(skb) != 9);
        arrive(packet(8));
        arrive(packet(9));
        assertThat(received).hasSize(1);
        assertThat(received.getFirst().marks().mark()).isEqualTo(0x1234);
        assertThat(device.stats().rxPackets()).isEqualTo(1);
        assertThat(device.stats().rxDropped()).isEqualTo(1);
    }

    @Test
    void whatLeavesByADeviceIsLabelledOrDropped() {
        driver.keep = true;
        device.hooks().register(HookPoint.EGRESS, 0, (_, skb, _, out) -> {
            skb.marks().secmark(out == device ? 5 : 0);
            return true;
        });
        device.hooks().register(HookPoint.EGRESS, 1, (_, skb, _, _) -> destinationPort(skb) != 9);
        for (int port = 8; port <= 9; port++) {
            SkBuff skb = packet(port);
            skb.setNetworkHeader(0);
            skb.meta().protocol(EtherType.IPV4);
            assertThat(device.transmit(skb)).isEqualTo(NetdevTx.OK);
        }
        assertThat(driver.whole).hasSize(1);
        assertThat(driver.whole.getFirst().marks().secmark()).isEqualTo(5);
        assertThat(device.stats().txDropped()).isEqualTo(1);
        driver.whole.forEach(SkBuff::free);
    }

    @Test
    @Covers("SKB-115")
    void memoryOfTheApplicationIsSentFromWhereItLiesButNotKeptByAReceiver() {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment memory = arena.allocate(100).fill((byte) 7);
            List<String> told = new ArrayList<>();
            SkBuff sent = zerocopy(memory, told);
            driver.keep = true;
            device.transmit(sent);
            assertThat(driver.whole).as("the driver sends from the fragment").containsExactly(sent);
            assertThat(told).as("which is the sender's until it is sent").isEmpty();
            sent.free();
            assertThat(told).containsExactly("given back");

            arrive(zerocopy(memory, told));
            assertThat(told).as("given back before the receiver has it").hasSize(2);
            memory.fill((byte) 0);
            byte[] bytes = Packets.bytes(received.getFirst());
            assertThat(bytes[bytes.length - 1]).isEqualTo((byte) 7);
        }
    }

    /** Returns an IP packet whose last bytes are memory of the application. */
    private SkBuff zerocopy(MemorySegment memory, List<String> told) {
        SkBuff skb = Objects.requireNonNull(packet(8));
        skb.addFrag(memory, 0, 50);
        skb.shinfo().txFlag(TxFlag.DEV_ZEROCOPY, true);
        skb.destructor(_ -> told.add("given back"));
        return skb;
    }

    @Test
    void aReceiverWhoCannotHaveACopyGetsNothing() {
        try (Arena arena = Arena.ofConfined()) {
            SkBuff skb = packet(8);
            skb.addFrag(arena.allocate(200), 0, 200);
            skb.shinfo().txFlag(TxFlag.DEV_ZEROCOPY, true);
            arrive(skb);
            assertThat(received).isEmpty();
            assertThat(device.stats().rxDropped()).isEqualTo(1);
        }
    }
}
