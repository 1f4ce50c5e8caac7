// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.transport.port;

import io.rdma4j.verbs.spi.ring.CompletionRing;
import io.rdma4j.verbs.spi.ring.SharedReceiveRing;

/**
 * Takes receive requests from a shared queue. They are copied, because other queue pairs take further requests before
 * the message has ended. Corresponds to {@code get_srq_wqe}.
 */
final class SharedReceiveSource implements ReceiveSource {
    private final SharedReceiveRing ring;
    private final Object protectionDomain;
    private final CompletionRing completions;

    SharedReceiveSource(SharedReceiveRing ring, Object protectionDomain, CompletionRing completions) {
        this.ring = ring;
        this.protectionDomain = protectionDomain;
        this.completions = completions;
    }

    @Override
    public boolean take(ReceiveWqe request) {
        int bytes = ring.elementBytes();
        if (!ring.take(request.room(bytes), 0)) {
            return false;
        }
        request.pointAtRoom(bytes);
        return true;
    }

    @Override
    public void release() {
        // The ring's slot became free when the request was copied.
    }

    @Override
    public void reset() {
        // The posted requests belong to all queue pairs.
    }

    @Override
    public int ownWaiting() {
        return 0;
    }

    @Override
    public boolean isShared() {
        return true;
    }

    @Override
    public boolean isBroken() {
        return ring.isBroken();
    }

    @Override
    public Object protectionDomain() {
        return protectionDomain;
    }

    @Override
    public CompletionRing completions() {
        return completions;
    }
}
