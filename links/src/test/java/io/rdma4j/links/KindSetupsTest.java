// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.links;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdma4j.net.NetDevice;
import io.rdma4j.net.device.DeviceFlag;
import io.rdma4j.net.device.PrivateFlag;
import io.rdma4j.net.feature.NetDeviceFeature;
import io.rdma4j.net.ns.LinkRequest;
import io.rdma4j.testing.ledger.Covers;
import java.util.Arrays;
import java.util.Map;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Each link kind initialises its device differently. */
class KindSetupsTest {
    private final Cables cables = new Cables();
    private final NetDevice eth = cables.plug("eth0", 0x0200_0000_0001L);

    @AfterEach
    void close() {
        cables.close();
    }

    /** Returns link type, queue length, MTU, flags, and the private flags and features that not all devices have. */
    private String setup(String kind) {
        LinkRequest request = LinkRequest.of(kind, cables.host.initial())
                .withAttributes(
                        switch (kind) {
                            case "vlan" -> Map.of("id", "7");
                            case "vxlan" -> Map.of("id", "7", "local", "127.0.0.1", "dstport", "0");
                            default -> Map.of();
                        });
        boolean hasLower = kind.equals("vlan") || kind.equals("macvlan");
        NetDevice device = cables.host.links().create(hasLower ? request.withLower(eth) : request);
        String flags = Arrays.stream(DeviceFlag.values())
                .filter(device.flags()::has)
                .map(DeviceFlag::name)
                .collect(Collectors.joining(" "));
        String privateFlags = Arrays.stream(PrivateFlag.values())
                .filter(flag ->
                        flag != PrivateFlag.UNICAST_FLT && device.flags().has(flag))
                .map(PrivateFlag::name)
                .collect(Collectors.joining(" "));
        String features = Arrays.stream(NetDeviceFeature.values())
                .filter(feature ->
                        feature != NetDeviceFeature.GRO && device.features().has(feature))
                .map(NetDeviceFeature::name)
                .collect(Collectors.joining(" "));
        return device.linkType() + " " + device.transmitQueues().length() + " " + device.mtu() + ": " + flags + ": "
                + privateFlags + ": " + features;
    }

    @Test
    @Covers("NDEV-61")
    void eachKindHasAnInitialiserOfItsOwn() {
        Map<String, String> setups =
                cables.host.links().names().stream().collect(Collectors.toMap(kind -> kind, this::setup));
        assertThat(setups)
                .containsOnly(
                        Map.entry("bond", "ETHERNET 0 1500: BROADCAST MASTER MULTICAST: BONDING LIVE_ADDR_CHANGE: "),
                        Map.entry("bridge", "ETHERNET 0 1500: BROADCAST MULTICAST: EBRIDGE LIVE_ADDR_CHANGE: "),
                        Map.entry(
                                "dummy",
                                "ETHERNET 0 1500: BROADCAST NOARP: LIVE_ADDR_CHANGE: SG HW_CSUM HIGHDMA FRAGLIST GSO"),
                        Map.entry("macvlan", "ETHERNET 0 1500: BROADCAST MULTICAST: LIVE_ADDR_CHANGE: "),
                        Map.entry("team", "ETHERNET 0 1500: BROADCAST MASTER MULTICAST: LIVE_ADDR_CHANGE: "),
                        Map.entry(
                                "veth",
                                "ETHERNET 0 1500: BROADCAST MULTICAST: SUPP_NOFCS LIVE_ADDR_CHANGE: SG HIGHDMA"
                                        + " FRAGLIST GSO"),
                        Map.entry(
                                "vlan",
                                "ETHERNET 0 1500: BROADCAST MULTICAST: VLAN_802_1Q LIVE_ADDR_CHANGE: SG HIGHDMA"
                                        + " FRAGLIST GSO LLTX"),
                        Map.entry(
                                "vxlan",
                                "ETHERNET 0 1450: BROADCAST MULTICAST: LIVE_ADDR_CHANGE: SG HIGHDMA GSO"
                                        + " NETNS_LOCAL"));
    }
}
