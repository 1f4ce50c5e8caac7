// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.rxe.carrier;

import io.rdma4j.base.Gid;
import io.rdma4j.hca.qp.LoopQp;
import io.rdma4j.hca.qp.LoopServices;
import io.rdma4j.hca.qp.QpRequest;
import io.rdma4j.hca.qp.QpServices;
import io.rdma4j.net.NetDevice;
import io.rdma4j.net.receive.PacketTap;
import io.rdma4j.packet.SkBuff;
import io.rdma4j.transport.RawEngine;
import io.rdma4j.transport.port.RawPort;
import io.rdma4j.verbs.values.QpState;

/**
 * A raw queue pair: it sends packets of the network interface unchanged and receives like a packet socket. Each raw
 * queue pair gets its own copy of a matching packet. The IP stack receives the packet too.
 */
final class RawQp extends LoopQp implements RawPort, PacketTap {
    private final RawLink link;
    private final RawEngine engine;

    private final NetDevice device;
    private final NetDeviceCarrier carrier;
    private final LoopServices services;

    RawQp(int qpn, QpRequest request, QpServices services, NetDeviceCarrier carrier) {
        super(request, services.common());
        this.services = services.common();
        this.carrier = carrier;
        this.device = carrier.link().device();
        this.link = new RawLink(device, request.attributes());
        this.engine =
                new RawEngine(qpn, request.attributes(), request.domain(), request.queues(), services.context(), this);
        device.protocols().addTap(link.protocol(), this);
    }

    @Override
    public RawEngine engine() {
        return engine;
    }

    @Override
    protected void leave() {
        device.protocols().removeTap(this);
    }

    /** The interface joins the group. All raw queue pairs of the port then receive its packets. */
    @Override
    public void attachMulticast(Gid group, int lid) {
        services.loop().exclusively(() -> carrier.join(group));
    }

    @Override
    public void detachMulticast(Gid group, int lid) {
        services.loop().exclusively(() -> carrier.leave(group));
    }

    @Override
    public void see(SkBuff skb) {
        if (!services.states().receives()) {
            return;
        }
        int header = skb.data() - skb.macHeader();
        if (!link.showsHeader()) {
            deliver(skb);
        } else {
            skb.push(header);
            deliver(skb);
            skb.pull(header);
        }
    }

    private void deliver(SkBuff skb) {
        engine.onPacket(skb);
        if (engine.state() == QpState.ERR) {
            services.loop().ready(this);
        }
    }

    @Override
    public int maxBytes() {
        return link.maxBytes();
    }

    @Override
    public boolean carries(SkBuff skb) {
        return link.carries(skb);
    }

    @Override
    public void transmit(SkBuff skb) {
        if (services.output().admits(skb, 1, skb.len())) {
            carrier.transmitFrame(skb);
        }
    }
}
