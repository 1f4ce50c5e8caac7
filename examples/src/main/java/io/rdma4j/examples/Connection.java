package io.rdma4j.examples;

import io.rdma4j.base.Gid;
import io.rdma4j.base.Mtu;
import io.rdma4j.verbs.AccessFlag;
import io.rdma4j.verbs.AddressVector;
import io.rdma4j.verbs.CompletionQueue;
import io.rdma4j.verbs.QpAttributes;
import io.rdma4j.verbs.QpState;
import io.rdma4j.verbs.QueuePair;
import io.rdma4j.verbs.WcStatus;
import io.rdma4j.verbs.WorkCompletion;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.net.Socket;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ThreadLocalRandom;

/** What the examples share: how two queue pairs become a reliable connection, and how to wait for what they do. */
final class Connection {
    /** The device that needs no set-up: all processes of a machine reach each other by it. */
    static final String DEVICE = "rxe_lo";

    /** Ports are counted from 1; most devices have one. */
    static final int PORT = 1;

    /** Which of the port's addresses to use. */
    static final int GID_INDEX = 0;

    private static final Duration PATIENCE = Duration.ofSeconds(30);

    private Connection() {}

    /**
     * What one end must know of the other before they can talk.
     *
     * @param gid where its port is
     * @param qpn which queue pair there
     * @param psn the number that its first packet will have
     */
    record Address(Gid gid, int qpn, int psn) {
        /** That of a queue pair, which will begin anywhere. */
        static Address of(QueuePair qp) {
            Gid gid = qp.context().queryGid(PORT, GID_INDEX);
            return new Address(gid, qp.qpn(), ThreadLocalRandom.current().nextInt(1 << 24));
        }

        /** Tells the peer this address, and hears its own. How that is done is up to the programs: here, over TCP. */
        Address exchange(Socket socket) throws IOException {
            DataOutputStream out = new DataOutputStream(socket.getOutputStream());
            out.write(gid.toBytes());
            out.writeInt(qpn);
            out.writeInt(psn);
            DataInputStream in = new DataInputStream(socket.getInputStream());
            return new Address(Gid.ofBytes(in.readNBytes(Gid.BYTES)), in.readInt(), in.readInt());
        }
    }

    /** Connects two queue pairs of one process. */
    static void connect(QueuePair one, QueuePair other) {
        Address ofOne = Address.of(one);
        Address ofOther = Address.of(other);
        connect(one, ofOne, ofOther);
        connect(other, ofOther, ofOne);
    }

    /** Takes a queue pair the way that all go: INIT, ready to receive, ready to send. The peer does the same. */
    static void connect(QueuePair qp, Address own, Address peer) {
        qp.modify(QpAttributes.builder()
                .state(QpState.INIT)
                .port(PORT)
                .pkeyIndex(0)
                .accessFlags(Set.of(AccessFlag.REMOTE_READ, AccessFlag.REMOTE_WRITE, AccessFlag.REMOTE_ATOMIC))
                .build());
        qp.modify(QpAttributes.builder()
                .state(QpState.RTR)
                .addressVector(AddressVector.roce(PORT, peer.gid(), GID_INDEX))
                .destinationQpn(peer.qpn())
                .rqPsn(peer.psn())
                .pathMtu(Mtu.MTU_1024)
                .maxDestRdAtomic(1)
                .minRnrTimer(12) // "no buffer yet, come again in 0.64 ms"
                .build());
        qp.modify(QpAttributes.builder()
                .state(QpState.RTS)
                .sqPsn(own.psn())
                .timeout(14) // an answer is late after 4.096 µs · 2^14 = 67 ms
                .retryCount(7)
                .rnrRetry(7) // for ever
                .maxRdAtomic(1)
                .build());
    }

    /** Polls until a work request has completed; one that failed is an error. */
    static WorkCompletion await(CompletionQueue cq) {
        long start = System.nanoTime();
        while (System.nanoTime() - start < PATIENCE.toNanos()) {
            List<WorkCompletion> completions = cq.poll(1);
            if (!completions.isEmpty()) {
                return checked(completions.getFirst());
            }
            Thread.onSpinWait();
        }
        throw new IllegalStateException("nothing completed within " + PATIENCE);
    }

    /** The same completion if it tells of a success. */
    static WorkCompletion checked(WorkCompletion completion) {
        if (completion.status() != WcStatus.SUCCESS) {
            throw new IllegalStateException("failed: " + completion);
        }
        return completion;
    }
}
