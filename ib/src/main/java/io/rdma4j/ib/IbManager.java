// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.ib;

import io.rdma4j.base.Deadline;
import io.rdma4j.loop.Timed;
import io.rdma4j.sm.SmState;
import io.rdma4j.sm.SubnetOptions;
import io.rdma4j.sm.admin.SubnetAdministrator;
import io.rdma4j.sm.sweep.SmpOutput;
import io.rdma4j.sm.sweep.SubnetManager;
import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.Set;

/**
 * Runs a {@link SubnetManager} and its {@link SubnetAdministrator} at the port of a device, by the time of its fabric.
 * Any thread.
 */
public final class IbManager implements AutoCloseable {
    private final IbFabric fabric;
    private final NodeAgents agents;
    private final ManagementListener listener = new ManagementListener() {
        @Override
        public boolean receive(MemorySegment memory, long mad, int sourceLid, int sourceQpn, int destinationQpn) {
            long nowNs = fabric.loop().clock().nanoTime();
            if (destinationQpn != 0) {
                return administrate(memory, mad, sourceLid, sourceQpn, nowNs);
            }
            boolean wasDisabled = isDisabled();
            boolean isTaken = manager.receive(memory, mad, sourceLid, nowNs);
            if (wasDisabled != isDisabled()) {
                agents.managerChanged();
            }
            fabric.loop().schedule(timer);
            return isTaken;
        }

        @Override
        public void portChanged() {
            manager.portChanged(fabric.loop().clock().nanoTime());
            fabric.loop().schedule(timer);
        }

        @Override
        public boolean isManager() {
            return true;
        }

        @Override
        public boolean isDisabled() {
            return manager.state() == SmState.NOT_ACTIVE;
        }
    };
    private final SubnetManager manager;
    private final SubnetAdministrator administrator;
    private final Timed timer = new Timed() {
        @Override
        protected long nextDeadlineNs() {
            return Deadline.earlier(manager.nextNs(), administrator.nextNs());
        }

        @Override
        protected void onDeadline(long nowNs) {
            manager.advance(nowNs);
            administrator.advance(nowNs);
            fabric.clock().changed();
        }
    };

    /**
     * Creates a manager and begins a sweep.
     *
     * @param device at whose queue pair 0 it runs; no other manager runs there, but others may run at other devices
     * @param options of the subnet
     */
    public IbManager(IbDevice device, SubnetOptions options) {
        this.fabric = device.fabric();
        this.agents = device.agents();
        SmpOutput output = agents::sendManagement;
        this.manager = new SubnetManager(output, options, device.nodeGuid() + 1);
        this.administrator = new SubnetAdministrator(manager, agents::sendGeneral);
        fabric.exclusively(() -> agents.add(listener));
        sweep();
    }

    /** Gives a datagram to the administrator. */
    private boolean administrate(MemorySegment memory, long mad, int sourceLid, int sourceQpn, long nowNs) {
        boolean isTaken = administrator.receive(memory, mad, sourceLid, sourceQpn, nowNs);
        fabric.loop().schedule(timer);
        return isTaken;
    }

    /** Begins a heavy sweep, or another one after the present one. */
    public void sweep() {
        fabric.exclusively(() -> {
            manager.sweep(fabric.loop().clock().nanoTime());
            fabric.loop().schedule(timer);
        });
    }

    /**
     * Sets the members of a multicast group, and writes its tables.
     *
     * @param mlid multicast LID
     * @param portGuids of the members; none ends the group
     */
    public void group(int mlid, Set<Long> portGuids) {
        fabric.exclusively(() -> {
            manager.group(mlid, portGuids);
            manager.regroup(fabric.loop().clock().nanoTime());
            fabric.loop().schedule(timer);
        });
    }

    /** {@return the state among the managers of the subnet: one is the master, and the others poll it} */
    public SmState state() {
        return fabric.exclusively(manager::state);
    }

    /** {@return number of requests for SMInfo that were dropped because their key is that of another subnet} */
    public long foreignKeys() {
        return fabric.exclusively(manager::foreignKeys);
    }

    /** {@return true for a master whose last sweep ended without an unanswered or rejected request} */
    public boolean isUp() {
        return fabric.exclusively(manager::isUp);
    }

    /** {@return number of heavy sweeps that have begun} */
    public int sweeps() {
        return fabric.exclusively(manager::sweeps);
    }

    /** {@return number of datagrams that the manager has sent} */
    public long datagramsSent() {
        return fabric.exclusively(manager::datagramsSent);
    }

    /** {@return number of requests that the administrator dropped: before the first sweep, or with a wrong key} */
    public long dropped() {
        return fabric.exclusively(administrator::dropped);
    }

    /**
     * {@return a line for each node, port and LID of the last sweep, and for each link that contradicts another one}
     */
    public List<String> describe() {
        return fabric.exclusively(manager::describe);
    }

    /**
     * {@return the links of a credit loop in the forwarding tables, as node and sending port, in the order of the
     * packets; none if there is no loop}
     */
    public List<String> creditLoop() {
        return fabric.exclusively(manager::creditLoop);
    }

    /** Ends the manager; the subnet stays as it is. */
    @Override
    public void close() {
        fabric.exclusively(() -> {
            fabric.loop().unschedule(timer);
            agents.remove(listener);
        });
    }
}
