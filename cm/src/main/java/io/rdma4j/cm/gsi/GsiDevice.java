// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.cm.gsi;

import io.rdma4j.base.Gid;
import io.rdma4j.base.Mtu;
import io.rdma4j.cm.CmAddress;
import io.rdma4j.cm.CmDevice;
import io.rdma4j.verbs.Context;
import java.lang.foreign.MemorySegment;
import java.util.function.BiConsumer;

/** An open device as a communication manager sees it. */
class GsiDevice implements CmDevice {
    private static final int PARTITION = 0x7FFF;
    private static final int FULL_MEMBER = 0x8000;

    private final Context context;
    private final BiConsumer<MemorySegment, CmAddress> output;
    private final long guid;
    private final int ackDelay;
    private final int ports;

    /** @param output sends a datagram; throws nothing */
    GsiDevice(Context context, BiConsumer<MemorySegment, CmAddress> output) {
        this.context = context;
        this.output = output;
        guid = context.device().guid();
        ackDelay = context.queryDevice().localCaAckDelay();
        ports = context.queryDevice().physicalPortCount();
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
        return ports;
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
        int length = context.queryPort(port).pkeyTableLength();
        int limited = -1;
        for (int index = 0; index < length && (pkey & PARTITION) != 0; index++) {
            int entry = context.queryPkey(port, index);
            if ((entry & PARTITION) == (pkey & PARTITION)) {
                if ((entry & FULL_MEMBER) != 0) {
                    return index;
                }
                limited = limited < 0 ? index : limited;
            }
        }
        return limited;
    }

    @Override
    public int lmc(int port) {
        return context.queryPort(port).lmc();
    }

    @Override
    public Mtu maxMtu(int port) {
        return context.queryPort(port).activeMtu();
    }

    @Override
    public void send(MemorySegment datagram, CmAddress destination) {
        output.accept(datagram, destination);
    }
}
