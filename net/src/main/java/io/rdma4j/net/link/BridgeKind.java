package io.rdma4j.net.link;

import io.rdma4j.net.NetDevice;
import io.rdma4j.net.ns.LinkKind;
import io.rdma4j.net.ns.LinkRequest;

/** Makes {@link BridgeDevice}s ({@code ip link add type bridge}); attribute {@code ageing_time}, seconds. */
public final class BridgeKind implements LinkKind {
    private static final long NS_PER_S = 1_000_000_000L;

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
        bridge.ageingNs(asked.number("ageing_time", 300) * NS_PER_S);
        return asked.finish(bridge.netDevice());
    }
}
