// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.cm.gsi;

import io.rdma4j.base.Gid;
import io.rdma4j.base.Mtu;
import io.rdma4j.base.RdmaException;
import io.rdma4j.cm.CmAddress;
import io.rdma4j.cm.CmDevice;
import io.rdma4j.mad.MadAddress;
import io.rdma4j.mad.MadAgent;
import io.rdma4j.mad.MadSend;
import io.rdma4j.verbs.Context;
import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;

/** A device whose datagrams go through an agent of each port. */
final class GsiDevice implements CmDevice {
    private final Context context;
    private final List<MadAgent> agents;
    private final long guid;
    private final int ackDelay;
    /** Datagrams that the MAD layer did not take. */
    final AtomicLong unsent = new AtomicLong();

    /** @param agents that of port 1 first; the list grows until all ports have theirs */
    GsiDevice(Context context, List<MadAgent> agents) {
        this.context = context;
        this.agents = agents;
        guid = context.device().guid();
        ackDelay = context.queryDevice().localCaAckDelay();
    }

    @Override
    public long guid() {
        return guid;
    }

    @Override
    public int ackDelay() {
        return ackDelay;
    }

    @Override
    public int ports() {
        return agents.size();
    }

    @Override
    public int gidIndex(int port, Gid gid) {
        return context.queryGidTable().stream()
                .filter(entry -> entry.port() == port && entry.gid().equals(gid))
                .mapToInt(entry -> entry.index())
                .findFirst()
                .orElse(-1);
    }

    @Override
    public Gid gid(int port, int index) {
        return context.queryGid(port, index);
    }

    @Override
    public int pkeyIndex(int port, int pkey) {
        try {
            return context.pkeyIndex(port, pkey);
        } catch (RdmaException e) {
            return -1; // Not in the table.
        }
    }

    @Override
    public Mtu maxMtu(int port) {
        return context.queryPort(port).activeMtu();
    }

    @Override
    public void send(MemorySegment datagram, CmAddress destination) {
        try {
            agents.get(destination.port() - 1)
                    .send(MadSend.of(MadAddress.gsi(destination.addressVector(), destination.pkeyIndex()), datagram));
        } catch (RdmaException e) {
            unsent.incrementAndGet(); // Repeated like one that the network loses.
        }
    }
}
