// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.net.receive;

import io.rdma4j.net.skb.HookPoint;
import io.rdma4j.net.skb.PacketHooks;

/**
 * Everything between the driver of a device and IP that sees or takes packets.
 *
 * @param protocols protocol handlers and taps
 * @param rxHandler receive handler
 * @param queues receive queues
 * @param hooks packet filters
 * @param vlans VLAN devices
 */
public record DeviceHandlers(
        ProtocolHandlers protocols,
        RxHandlerSlot rxHandler,
        NetdevRxQueues queues,
        PacketHooks hooks,
        VlanGroup vlans) {
    /** {@return true if a tap, a filter, a qdisc or a receive handler sees all received packets} */
    public boolean watchReceived() {
        return protocols.hasTaps() || rxHandler.isTaken() || queues.hasIngress() || hooks.isWatched(HookPoint.INGRESS);
    }
}
