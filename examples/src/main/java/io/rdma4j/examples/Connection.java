package io.rdma4j.examples;

import io.rdma4j.base.Gid;
import io.rdma4j.verbs.CompletionQueue;
import io.rdma4j.verbs.GidEntry;
import io.rdma4j.verbs.QpAddress;
import io.rdma4j.verbs.QueuePair;
import io.rdma4j.verbs.WcStatus;
import io.rdma4j.verbs.WorkCompletion;
import java.io.IOException;
import java.net.Socket;
import java.time.Duration;
import java.util.List;

/** What the examples share: how two queue pairs become a reliable connection, and how to wait for what they do. */
final class Connection {
    /** The device that needs no set-up: all processes of a machine reach each other by it. */
    static final String DEVICE = "rxe_lo";

    private static final Duration PATIENCE = Duration.ofSeconds(30);

    private Connection() {}

    /** Connects two queue pairs of one process. */
    static void connect(QueuePair one, QueuePair other) {
        QpAddress ofOne = QpAddress.of(one);
        QpAddress ofOther = QpAddress.of(other);
        one.connect(ofOne, ofOther);
        other.connect(ofOther, ofOne);
    }

    /** Connects a queue pair with one of another process. How the two hear of each other is up to them: here, over TCP. */
    static void connect(QueuePair qp, Socket socket) throws IOException {
        // The device may have several addresses: the one that the peer can be reached from is that of this TCP
        // connection.
        int gidIndex = qp.context()
                .findGid(Gid.of(socket.getLocalAddress()))
                .map(GidEntry::index)
                .orElse(0);
        QpAddress own = QpAddress.of(qp, 1, gidIndex);
        socket.getOutputStream().write(own.toBytes());
        QpAddress peer = QpAddress.ofBytes(socket.getInputStream().readNBytes(QpAddress.BYTES));
        qp.connect(own, peer);
    }

    /** Polls until a work request has completed; one that failed is an error. */
    static WorkCompletion await(CompletionQueue cq) {
        List<WorkCompletion> completions = cq.poll(1, PATIENCE);
        if (completions.isEmpty()) {
            throw new IllegalStateException("nothing completed within " + PATIENCE);
        }
        return checked(completions.getFirst());
    }

    /** The same completion if it tells of a success. */
    static WorkCompletion checked(WorkCompletion completion) {
        if (completion.status() != WcStatus.SUCCESS) {
            throw new IllegalStateException("failed: " + completion);
        }
        return completion;
    }
}
