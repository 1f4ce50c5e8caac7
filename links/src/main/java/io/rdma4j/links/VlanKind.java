// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.links;

import io.rdma4j.base.Errno;
import io.rdma4j.base.RdmaException;
import io.rdma4j.net.NetDevice;
import io.rdma4j.net.ns.LinkKind;
import io.rdma4j.net.ns.LinkRequest;
import io.rdma4j.net.skb.EtherType;
import java.util.Locale;

/**
 * Creates {@link VlanDevice}s ({@code ip link add link eth0 type vlan id 5}). Attributes: {@code id}, and {@code
 * protocol} (802.1Q or 802.1ad).
 */
public final class VlanKind implements LinkKind {
    /** For the service loader. */
    public VlanKind() {}

    @Override
    public String name() {
        return "vlan";
    }

    @Override
    public NetDevice setup(LinkRequest request) {
        KindRequest asked = new KindRequest(request);
        int vid = asked.number("id", -1);
        NetDevice lower = asked.lower();
        int protocol = protocol(asked.text("protocol", "802.1Q"));
        String name = asked.name(lower.name() + "." + vid);
        VlanDevice vlan = VlanDevice.create(lower, name, protocol, vid, request.txQueues(), request.rxQueues());
        return asked.finish(vlan.netDevice());
    }

    private static int protocol(String name) {
        return switch (name.toLowerCase(Locale.ROOT)) {
            case "802.1q" -> EtherType.VLAN;
            case "802.1ad" -> EtherType.SERVICE_VLAN;
            default -> throw new RdmaException(Errno.EINVAL, "protocol " + name + " is neither 802.1Q nor 802.1ad");
        };
    }
}
