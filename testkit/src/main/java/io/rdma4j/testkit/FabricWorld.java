// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.testkit;

import io.rdma4j.base.NanoClock;
import io.rdma4j.netlab.Machine;
import io.rdma4j.netlab.network.Network;
import io.rdma4j.verbs.Context;
import java.util.List;

/** The machines of a fabric and their time, real or virtual. */
interface FabricWorld {
    /** The machines and links. */
    Network network();

    /** The open RDMA devices, in the order of the machines: one for each machine that has any. */
    List<Context> contexts();

    /** The clock of all machines. */
    NanoClock clock();

    /**
     * Gives the machines time until something may have happened.
     *
     * @param endNs time of {@link #clock} after which to give up
     * @return false if nothing will happen before {@code endNs}
     */
    boolean step(long endNs);

    /** Lets an amount of time pass. */
    void pass(long durationNs);

    /** Closes contexts, machines and links. The contexts have no open objects. */
    void close();

    /** The machines that have an RDMA device, in the order of the topology. */
    default List<Machine> hosts() {
        return network().machines().stream()
                .filter(machine -> !machine.rdma().devices().isEmpty())
                .toList();
    }
}
