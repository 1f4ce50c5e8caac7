package io.rdma4j.rxe;

import io.rdma4j.base.Gid;
import io.rdma4j.net.PacketTap;
import io.rdma4j.packet.SkBuff;
import io.rdma4j.transport.RawEngine;
import io.rdma4j.transport.port.QpQueues;
import io.rdma4j.transport.port.RawPort;
import io.rdma4j.verbs.spi.QpEvents;
import io.rdma4j.verbs.spi.QpResources;
import io.rdma4j.verbs.spi.QpSetup;
import io.rdma4j.verbs.values.QpState;

/**
 * A raw queue pair: it sends packets of the network interface unchanged and receives like a packet socket. Each raw
 * queue pair gets its own copy of a matching packet. The IP stack receives the packet too.
 */
final class RawQp extends LoopQp implements RawPort, PacketTap {
    private final RawLink link;
    private final RawEngine engine;

    /** @param resources all created by this provider */
    RawQp(int qpn, RxePort port, RxePd pd, RawLink link, QpSetup attributes, QpResources resources, QpEvents events) {
        QpQueues queues = WorkQueues.make(attributes, resources);
        super(port, attributes, queues, events);
        this.link = link;
        this.engine = new RawEngine(qpn, attributes, pd, queues, port.context(), this);
        port.device().protocols().addTap(link.protocol(), this);
    }

    @Override
    RawEngine engine() {
        return engine;
    }

    @Override
    void leave() {
        port().device().protocols().removeTap(this);
    }

    /** The interface joins the group. All raw queue pairs of the port then receive its packets. */
    @Override
    public void attachMulticast(Gid group, int lid) {
        port().netLoop().exclusively(() -> port().join(group));
    }

    @Override
    public void detachMulticast(Gid group, int lid) {
        port().netLoop().exclusively(() -> port().leave(group));
    }

    @Override
    public void see(SkBuff skb) {
        if (!port().states().receives()) {
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
            port().loop().ready(this);
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
        port().output().transmitRaw(skb);
    }
}
