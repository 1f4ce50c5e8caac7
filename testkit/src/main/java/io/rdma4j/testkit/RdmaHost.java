// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.testkit;

import io.rdma4j.base.Gid;
import io.rdma4j.net.NetDevice;
import io.rdma4j.netlab.Machine;
import io.rdma4j.rxe.RxePort;
import io.rdma4j.verbs.Context;
import java.util.Objects;

/** A host of a {@link Fabric}, with its RDMA device open. The fabric closes it. */
public final class RdmaHost {
    private final int index;
    private final Machine machine;
    private final Context context;
    private final RxePort port;
    private final FabricLink link;

    RdmaHost(int index, Machine machine, Context context, FabricLink link) {
        this.index = index;
        this.machine = machine;
        this.context = context;
        this.port = Objects.requireNonNull(machine.port(context.device().name()), "an open device has a port");
        this.link = link;
    }

    /** {@return the number of the host, from 0} */
    public int index() {
        return index;
    }

    /** {@return the name of the host} */
    public String name() {
        return machine.name();
    }

    /** {@return the machine: its network devices, addresses and RDMA devices} */
    public Machine machine() {
        return machine;
    }

    /** {@return the context of the RDMA device; the fabric closes it} */
    public Context context() {
        return context;
    }

    /** {@return the first GID of the RDMA device} */
    public Gid gid() {
        return context.queryGid(1, 0);
    }

    /** {@return what happens to the packets that the host sends} */
    public FabricLink link() {
        return link;
    }

    /** {@return the number of packets that the host has sent again} */
    public long retransmissions() {
        return port.counters().retransmittedPackets;
    }

    /** The network device below the RDMA device. */
    NetDevice device() {
        return port.device();
    }

    @Override
    public String toString() {
        return machine.name();
    }
}
