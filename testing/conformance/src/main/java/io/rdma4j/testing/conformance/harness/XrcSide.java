// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.testing.conformance.harness;

import io.rdma4j.testing.endpoint.LinkSetup;
import io.rdma4j.testing.endpoint.Paths;
import io.rdma4j.testing.endpoint.Transitions;
import io.rdma4j.verbs.CompletionQueue;
import io.rdma4j.verbs.Context;
import io.rdma4j.verbs.QpInitAttributes;
import io.rdma4j.verbs.QueuePair;
import io.rdma4j.verbs.SrqInitAttributes;
import io.rdma4j.verbs.XrcDomain;
import io.rdma4j.verbs.values.AccessFlag;
import io.rdma4j.verbs.values.AddressVector;
import io.rdma4j.verbs.values.QpCapabilities;
import io.rdma4j.verbs.values.QpCreateFlag;
import io.rdma4j.verbs.values.QpType;
import io.rdma4j.verbs.values.SrqAttributes;
import java.util.Set;

/**
 * One side of an extended reliable connection: a domain, two shared receive queues, and a queue pair for each
 * direction.
 */
public final class XrcSide implements AutoCloseable {
    private static final int ENTRIES = 64;

    public final Context context;
    public final XrcDomain domain;
    public final CompletionQueue sendCq;
    public final CompletionQueue receiveCq;
    public final ReceivePool first;
    public final ReceivePool second;
    public final QueuePair initiator;
    public final QueuePair target;

    private final ConformanceTarget devices;

    public XrcSide(ConformanceTarget devices, Context context, QpCreateFlag... flags) {
        this.devices = devices;
        this.context = context;
        domain = context.openXrcDomain();
        sendCq = context.createCq(ENTRIES);
        receiveCq = context.createCq(ENTRIES);
        SrqInitAttributes xrc = SrqInitAttributes.xrc(new SrqAttributes(ENTRIES, 2, 0), domain, receiveCq);
        first = new ReceivePool(devices, context, xrc);
        second = new ReceivePool(devices, context, xrc);
        initiator = first.pd.createQp(QpInitAttributes.builder(sendCq)
                .type(QpType.XRC_INI)
                .capabilities(new QpCapabilities(ENTRIES, 0, 2, 0, 0))
                .createFlags(flags)
                .build());
        target = first.pd.createQp(
                QpInitAttributes.xrcTarget(domain).createFlags(flags).build());
    }

    private void connect(QueuePair qp, int peer, AddressVector path) {
        QpType type = qp.initAttributes().type();
        LinkSetup link = LinkSetup.DEFAULT;
        Set<AccessFlag> rights = Set.of(AccessFlag.REMOTE_WRITE, AccessFlag.REMOTE_READ, AccessFlag.REMOTE_ATOMIC);
        qp.modify(Transitions.init(type, devices.port(), rights).build());
        qp.modify(Transitions.readyToReceive(type, link, peer, path).build());
        qp.modify(Transitions.readyToSend(type, link).build());
    }

    public void connectTo(XrcSide peer) {
        AddressVector path = Paths.to(devices, peer.context);
        connect(initiator, peer.target.qpn(), path);
        connect(target, peer.initiator.qpn(), path);
    }

    @Override
    public void close() {
        initiator.close();
        target.close();
        first.close();
        second.close();
        sendCq.close();
        receiveCq.close();
        domain.close();
    }
}
