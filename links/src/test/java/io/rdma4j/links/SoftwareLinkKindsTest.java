// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.links;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.rdma4j.base.Errno;
import io.rdma4j.base.RdmaException;
import io.rdma4j.net.NetDevice;
import io.rdma4j.net.device.PrivateFlag;
import io.rdma4j.net.ns.LinkRequest;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Users create links by the name of their kind. */
class SoftwareLinkKindsTest {
    private static final long MAC = 0x0200_0000_0001L;

    private final Cables cables = new Cables();
    private final NetDevice eth = cables.plug("eth0", MAC);

    @AfterEach
    void close() {
        cables.close();
    }

    private LinkRequest request(String kind) {
        return LinkRequest.of(kind, cables.host.initial());
    }

    private NetDevice create(LinkRequest request) {
        return cables.host.links().create(request);
    }

    private void refused(LinkRequest request) {
        assertThatThrownBy(() -> create(request))
                .isInstanceOfSatisfying(
                        RdmaException.class, e -> assertThat(e.errno()).isEqualTo(Errno.EINVAL));
    }

    @Test
    void theKindsOfThisPackageAreKnownOnEveryMachine() {
        assertThat(cables.host.links().names()).contains("bond", "bridge", "dummy", "macvlan", "team", "vlan");
    }

    @Test
    void aLinkIsMadeAsItWasAskedFor() {
        NetDevice vlan =
                create(request("vlan").withLower(eth).withAttributes(Map.of("id", "7", "protocol", "802.1ad")));
        assertThat(vlan.name()).isEqualTo("eth0.7");
        assertThat(eth.stack().uppers()).containsExactly(vlan);
        NetDevice bridge = create(request("bridge").withLink(1400, MAC + 1));
        assertThat(bridge.name()).isEqualTo("br0");
        assertThat(bridge.mtu()).isEqualTo(1400);
        assertThat(bridge.macAddress()).isEqualTo(MAC + 1);
        NetDevice bond = create(request("bond").withName("b").withAttributes(Map.of("mode", "balance-xor")));
        assertThat(bond.flags().has(PrivateFlag.BONDING)).isTrue();
        eth.stack().enslave(bond);
        assertThat(create(request("team")).name()).isEqualTo("team0");
        assertThat(create(request("dummy")).name()).isEqualTo("dummy0");
        NetDevice parent = cables.plug("eth1", MAC);
        assertThat(create(request("macvlan").withLower(parent)).name()).isEqualTo("macvlan0");
        cables.host.links().delete(vlan);
        assertThat(cables.host.initial().find("eth0.7")).isNull();
    }

    @Test
    void whatIsMissingOrUnknownIsRefused() {
        refused(request("vlan").withAttributes(Map.of("id", "7")));
        refused(request("vlan").withLower(eth));
        refused(request("vlan").withLower(eth).withAttributes(Map.of("id", "x")));
        refused(request("vlan").withLower(eth).withAttributes(Map.of("id", "7", "protocol", "x")));
        refused(request("bridge").withAttributes(Map.of("stp", "1")));
        refused(request("bond").withAttributes(Map.of("mode", "lacp")));
    }
}
