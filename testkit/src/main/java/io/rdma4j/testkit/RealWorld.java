// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.testkit;

import io.rdma4j.base.NanoClock;
import io.rdma4j.base.RdmaException;
import io.rdma4j.loop.ProgressMode;
import io.rdma4j.netlab.command.Shell;
import io.rdma4j.netlab.network.Network;
import io.rdma4j.netlab.topology.Topology;
import io.rdma4j.verbs.Context;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.LockSupport;

/** Machines in real time: threads that post or poll drive them, and their loop threads otherwise. */
final class RealWorld implements FabricWorld {
    private final Network network;
    private final List<Context> contexts = new ArrayList<>();

    /** @throws RdmaException EINVAL if a command fails; the message contains its output */
    RealWorld(Topology topology, long seed) {
        network = Network.build(topology, NanoClock.SYSTEM, ProgressMode.AUTOMATIC, seed);
        StringWriter output = new StringWriter();
        PrintWriter out = new PrintWriter(output);
        try {
            Shell.runAll(network, "topology", topology, out, out);
            hosts().forEach(machine ->
                    contexts.add(machine.rdma().devices().getFirst().open()));
        } catch (RdmaException e) {
            close();
            throw new RdmaException(
                    e.errno(), e.getMessage() + ": " + output.toString().strip());
        }
    }

    @Override
    public Network network() {
        return network;
    }

    @Override
    public List<Context> contexts() {
        return contexts;
    }

    @Override
    public NanoClock clock() {
        return NanoClock.SYSTEM;
    }

    @Override
    public boolean step(long endNs) {
        Thread.yield();
        return clock().nanoTime() - endNs < 0;
    }

    @Override
    public void pass(long durationNs) {
        long endNs = clock().nanoTime() + durationNs;
        for (long leftNs = durationNs; leftNs > 0; leftNs = endNs - clock().nanoTime()) {
            LockSupport.parkNanos(leftNs);
        }
    }

    @Override
    public void close() {
        contexts.forEach(Context::close);
        network.close();
    }
}
