// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.examples;

import io.rdma4j.base.Gid;
import io.rdma4j.verbs.CompletionQueue;
import io.rdma4j.verbs.QpAddress;
import io.rdma4j.verbs.QueuePair;
import io.rdma4j.verbs.device.GidEntry;
import io.rdma4j.verbs.wr.WcStatus;
import io.rdma4j.verbs.wr.WorkCompletion;
import java.io.IOException;
import java.net.Socket;
import java.time.Duration;
import java.util.List;

/** Shared code of the examples: connects two queue pairs by a reliable connection, and waits for completions. */
final class Connection {
    /** The device that needs no set-up: all processes of a machine can use it to reach each other. */
    static final String DEVICE = "rxe_lo";

    private static final Duration TIMEOUT = Duration.ofSeconds(30);

    private Connection() {}

    /** Connects two queue pairs of one process. */
    static void connect(QueuePair one, QueuePair other) {
        QpAddress ofOne = QpAddress.of(one);
        QpAddress ofOther = QpAddress.of(other);
        one.connect(ofOne, ofOther);
        other.connect(ofOther, ofOne);
    }

    /**
     * Connects a queue pair with one of another process. The two processes exchange their addresses over TCP; any other
     * way is possible.
     */
    static void connect(QueuePair qp, Socket socket) throws IOException {
        // The device may have several addresses. The address of this TCP connection is one that the peer can reach.
        int gidIndex = qp.context()
                .findGid(Gid.of(socket.getLocalAddress()))
                .map(GidEntry::index)
                .orElse(0);
        QpAddress own = QpAddress.of(qp, 1, gidIndex);
        socket.getOutputStream().write(own.toBytes());
        QpAddress peer = QpAddress.ofBytes(socket.getInputStream().readNBytes(QpAddress.BYTES));
        qp.connect(own, peer);
    }

    /** Polls until a work request has completed; throws an exception if it failed. */
    static WorkCompletion await(CompletionQueue cq) {
        List<WorkCompletion> completions = cq.poll(1, TIMEOUT);
        if (completions.isEmpty()) {
            throw new IllegalStateException("nothing completed within " + TIMEOUT);
        }
        return checked(completions.getFirst());
    }

    /** Returns the completion if it is successful; otherwise throws an exception. */
    static WorkCompletion checked(WorkCompletion completion) {
        if (completion.status() != WcStatus.SUCCESS) {
            throw new IllegalStateException("failed: " + completion);
        }
        return completion;
    }
}
