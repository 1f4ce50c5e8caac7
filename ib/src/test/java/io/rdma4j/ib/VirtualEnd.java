// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.ib;

import io.rdma4j.testing.endpoint.LinkSetup;
import io.rdma4j.testing.endpoint.Transitions;
import io.rdma4j.verbs.CompletionQueue;
import io.rdma4j.verbs.Context;
import io.rdma4j.verbs.Host;
import io.rdma4j.verbs.MemoryRegion;
import io.rdma4j.verbs.ProtectionDomain;
import io.rdma4j.verbs.QpInitAttributes;
import io.rdma4j.verbs.QueuePair;
import io.rdma4j.verbs.ReceiveRequest;
import io.rdma4j.verbs.values.AccessFlag;
import io.rdma4j.verbs.values.AddressVector;
import io.rdma4j.verbs.values.EventType;
import io.rdma4j.verbs.values.QpCapabilities;
import io.rdma4j.verbs.values.QpType;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/** A queue pair at a host of a virtual fabric, with its objects. */
final class VirtualEnd implements AutoCloseable {
    static final int DEPTH = 128;
    private static final int BYTES = 1 << 16;

    private final Host host;
    final Context context;
    final ProtectionDomain pd;
    final CompletionQueue sends;
    final CompletionQueue receives;
    final MemoryRegion memory;
    final QueuePair qp;
    final List<EventType> events = new ArrayList<>();

    VirtualEnd(VirtualFabric fabric, int number, QpType type) {
        host = fabric.open(number);
        context = host.open(fabric.hosts.get(number).name());
        context.registerEventHandler(event -> events.add(event.type()));
        pd = context.allocatePd();
        sends = context.createCq(DEPTH);
        receives = context.createCq(DEPTH);
        memory = pd.allocateMemory(BYTES, Set.of(AccessFlag.LOCAL_WRITE));
        qp = pd.createQp(QpInitAttributes.builder(sends, receives)
                .type(type)
                .capabilities(QpCapabilities.of(DEPTH, DEPTH))
                .build());
    }

    /** Moves the queue pair to RTS; it is connected to the peer, unless it is for datagrams. */
    void connect(VirtualEnd peer, LinkSetup link) {
        AddressVector path = AddressVector.local(1, peer.context.queryPort(1).lid(), 0);
        Transitions.connect(qp, Set.of(), link, peer.qp.qpn(), path);
    }

    void receive(int count, int bytes) {
        for (int i = 0; i < count; i++) {
            qp.postReceive(ReceiveRequest.of(i, memory.sge(0, bytes)));
        }
    }

    @Override
    public void close() {
        qp.close();
        memory.close();
        receives.close();
        sends.close();
        pd.close();
        context.close();
        host.close();
    }
}
