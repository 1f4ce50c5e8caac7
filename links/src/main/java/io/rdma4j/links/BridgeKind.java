// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.links;

import io.rdma4j.base.Errno;
import io.rdma4j.base.RdmaException;
import io.rdma4j.net.NetDevice;
import io.rdma4j.net.ns.LinkKind;
import io.rdma4j.net.ns.LinkRequest;
import java.util.Map;
import java.util.Set;

/**
 * Creates {@link BridgeDevice}s ({@code ip link add type bridge}). Attribute {@code ageing_time}: hundredths of a
 * second.
 */
public final class BridgeKind implements LinkKind {
    /** For the service loader. */
    public BridgeKind() {}

    @Override
    public String name() {
        return "bridge";
    }

    @Override
    public NetDevice setup(LinkRequest request) {
        KindRequest asked = new KindRequest(request);
        BridgeDevice bridge = BridgeDevice.create(
                asked.name("br%d"), request.namespace().host().clock());
        String ageing = asked.text(BridgeDevice.AGEING_TIME, "");
        if (!ageing.isEmpty()) {
            bridge.ageingTime(ageing);
        }
        return asked.finish(bridge.netDevice());
    }

    @Override
    public void changelink(NetDevice device, Map<String, String> attributes) {
        if (!Set.of(BridgeDevice.AGEING_TIME).containsAll(attributes.keySet())) {
            throw new RdmaException(
                    Errno.EINVAL, "a bridge has " + BridgeDevice.AGEING_TIME + ", not all of " + attributes.keySet());
        }
        if (device.driver().ops() instanceof BridgeDevice bridge) {
            attributes.values().forEach(bridge::ageingTime);
        }
    }
}
