// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.rxe.datapath;

import io.rdma4j.hca.PortTimer;
import io.rdma4j.loop.LoopClient;
import io.rdma4j.loop.NetLoop;
import io.rdma4j.loop.Timed;

/** A timer of a port in the loop of its host. */
final class LoopTimer extends Timed implements PortTimer {
    private final NetLoop loop;
    private final LoopClient port;
    private final Owner owner;

    LoopTimer(NetLoop loop, LoopClient port, Owner owner) {
        this.loop = loop;
        this.port = port;
        this.owner = owner;
    }

    @Override
    public void update() {
        loop.schedule(this);
    }

    @Override
    public void stop() {
        loop.unschedule(this);
    }

    @Override
    protected long nextDeadlineNs() {
        return owner.nextDeadlineNs();
    }

    @Override
    protected void onDeadline(long nowNs) {
        owner.onDeadline(nowNs);
    }

    @Override
    protected LoopClient client() {
        return port;
    }
}
