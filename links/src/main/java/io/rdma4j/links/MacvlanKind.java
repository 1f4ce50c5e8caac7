// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.links;

import io.rdma4j.net.NetDevice;
import io.rdma4j.net.ns.LinkKind;
import io.rdma4j.net.ns.LinkRequest;

/** Creates {@link MacvlanDevice}s ({@code ip link add link eth0 type macvlan}). */
public final class MacvlanKind implements LinkKind {
    /** For the service loader. */
    public MacvlanKind() {}

    @Override
    public String name() {
        return "macvlan";
    }

    @Override
    public NetDevice setup(LinkRequest request) {
        KindRequest asked = new KindRequest(request);
        return asked.finish(MacvlanDevice.create(asked.lower(), asked.name("macvlan%d"), request.macAddress())
                .netDevice());
    }
}
