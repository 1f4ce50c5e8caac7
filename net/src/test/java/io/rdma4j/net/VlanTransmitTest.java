// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.net;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdma4j.net.device.LinkType;
import io.rdma4j.net.feature.FeatureSet;
import io.rdma4j.net.feature.NetDeviceFeature;
import io.rdma4j.net.ns.NetHost;
import io.rdma4j.net.transmit.NetdevTx;
import io.rdma4j.packet.SkBuff;
import io.rdma4j.packet.SkBuffPool;
import io.rdma4j.testing.fixtures.Frames;
import io.rdma4j.testing.fixtures.Packets;
import io.rdma4j.testing.ledger.Covers;
import io.rdma4j.wire.ip.Ethernet;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class VlanTransmitTest {
    private static final long TO = 0x0200_0000_0001L;
    private static final long FROM = 0x0200_0000_0002L;
    private static final String ADDRESSES = "020000000001020000000002";

    private final RecordingDriver driver = new RecordingDriver();
    private final SkBuffPool pool = new SkBuffPool(2, 256);

    private NetDevice device(FeatureSet features) {
        NetDevice made = NetHost.standalone(new NetDevice(
                new NetDeviceSetup(LinkType.ETHERNET, "eth0", 3, 1500, FROM, List.of(), features), driver));
        made.up();
        return made;
    }

    @AfterEach
    void nothingIsLeaked() {
        pool.close();
        assertThat(pool.leaked()).isZero();
    }

    private SkBuff tagged(int proto) {
        SkBuff skb = Frames.frame(pool, TO, FROM, Ethernet.TYPE_IPV4, new byte[] {1, 2});
        skb.meta().vlanTag(proto, 7);
        return skb;
    }

    @ParameterizedTest
    @CsvSource({"33024,81000007,false", "34984,88a80007,false", "33024,81000007,true"})
    @Covers("SKB-59")
    void aDriverThatKnowsNoTagsGetsThemInsideTheFrame(int proto, String inside, boolean cloned) {
        NetDevice device = device(FeatureSet.NONE);
        SkBuff skb = tagged(proto);
        SkBuff clone = cloned ? Objects.requireNonNull(skb.cloneDescriptor()) : null;
        assertThat(device.transmit(skb)).isEqualTo(NetdevTx.OK);
        assertThat(driver.sent).hasSize(1);
        assertThat(HexFormat.of().formatHex(driver.sent.getFirst())).isEqualTo(ADDRESSES + inside + "0800" + "0102");
        if (clone != null) {
            assertThat(HexFormat.of().formatHex(Packets.bytes(clone))).isEqualTo(ADDRESSES + "0800" + "0102");
            clone.free();
        }
        device.unregister();
    }

    @Test
    @Covers("SKB-59")
    void aDriverThatPutsTagsInItselfGetsThoseOf8021QBesideAndOthersInside() {
        NetDevice device = device(FeatureSet.of(NetDeviceFeature.HW_VLAN_CTAG_TX));
        driver.keep = true;
        device.transmit(tagged(Ethernet.TYPE_VLAN));
        device.transmit(tagged(Ethernet.TYPE_SERVICE_VLAN));
        SkBuff customer = driver.whole.get(0);
        assertThat(customer.meta().vlanTagPresent()).isTrue();
        assertThat(customer.meta().vlanTci()).isEqualTo(7);
        assertThat(customer.len()).isEqualTo(16);
        SkBuff service = driver.whole.get(1);
        assertThat(service.meta().vlanTagPresent()).isFalse();
        assertThat(service.len()).isEqualTo(20);
        driver.whole.forEach(SkBuff::free);
        device.unregister();
    }

    @ParameterizedTest
    @ValueSource(ints = {Ethernet.TYPE_VLAN, Ethernet.TYPE_SERVICE_VLAN})
    @Covers("SKB-59")
    void theOutermostTagOfEitherProtocolIsBesideAReceivedFrame(int proto) {
        NetDevice device = device(FeatureSet.NONE);
        List<String> received = new ArrayList<>();
        device.rxHandler().registerReceiver(skb -> {
            received.add(Integer.toHexString(skb.meta().vlanProto()) + " "
                    + skb.meta().vlanTci() + " "
                    + Integer.toHexString(skb.meta().protocol()));
            skb.free();
        });
        // The provider's tag, the customer's tag, the type of the payload.
        byte[] tags = {0, 9, (byte) 0x81, 0, 0, 5, 8, 0, 1, 2};
        driver.arriving.enqueue(Frames.frame(pool, FROM, TO, proto, tags));
        device.napi().poll(1);
        assertThat(received).containsExactly(Integer.toHexString(proto) + " 9 8100");
        device.unregister();
    }
}
