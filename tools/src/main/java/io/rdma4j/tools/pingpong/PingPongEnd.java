// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.tools.pingpong;

import io.rdma4j.tools.peer.Attempt;
import io.rdma4j.tools.peer.RandomPsn;
import io.rdma4j.tools.peer.ToolFailure;
import io.rdma4j.verbs.AddressHandle;
import io.rdma4j.verbs.ProtectionDomain;
import io.rdma4j.verbs.QueuePair;
import io.rdma4j.verbs.SendRequest;
import io.rdma4j.verbs.values.AddressVector;
import io.rdma4j.verbs.values.QpType;
import io.rdma4j.verbs.wr.SendBatch;
import io.rdma4j.verbs.wr.Sge;
import java.lang.foreign.MemorySegment;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * One queue pair of a ping-pong, and the one message that it sends. One thread; sending allocates only in the verbs.
 */
final class PingPongEnd implements AutoCloseable {
    /** {@code wr_id} of the original. */
    static final int SEND_WRID = 2;

    private final String name;
    private final QueuePair qp;
    private final MemorySegment message;
    private final long address;
    private final int lkey;
    private final boolean inline;
    private final int psn = RandomPsn.next();

    private @Nullable AddressHandle path;
    private int remoteQpn;
    private List<SendRequest> request = List.of();

    /**
     * Creates the end with a queue pair in RESET.
     *
     * @param name in messages
     * @param qp closed with this end
     * @param address of the message in work requests
     * @param lkey of the message's memory
     * @param inline the message is copied into the work request
     */
    PingPongEnd(String name, QueuePair qp, MemorySegment message, long address, int lkey, boolean inline) {
        this.name = name;
        this.qp = qp;
        this.message = message;
        this.address = address;
        this.lkey = lkey;
        this.inline = inline;
    }

    QueuePair qp() {
        return qp;
    }

    /** The first PSN that it sends, 24 bits. */
    int psn() {
        return psn;
    }

    /** Moves RESET to INIT. */
    void init(PingPongProgram program, PingPongOptions options) throws ToolFailure {
        Attempt.run("Failed to modify " + name + " to INIT", () -> qp.modify(program.toInit(options)));
    }

    /** Moves INIT to RTS, so that it can send to {@code remote}. */
    void connect(PingPongProgram program, PingPongOptions options, AddressVector vector, PingPongAddress remote)
            throws ToolFailure {
        Attempt.run("Failed to modify " + name + " to RTR", () -> qp.modify(program.toRtr(options, vector, remote)));
        Attempt.run("Failed to modify " + name + " to RTS", () -> qp.modify(program.toRts(psn)));
        if (program.type() == QpType.UD) {
            ProtectionDomain pd = qp.protectionDomain();
            path = Attempt.to("Failed to create AH", () -> pd.createAddressHandle(vector));
            remoteQpn = remote.qpn();
        }
        request = List.of(request());
    }

    private SendRequest request() {
        SendRequest.Builder builder = SendRequest.send().wrId(SEND_WRID).signaled();
        if (path != null) {
            builder.destination(path, remoteQpn, UdPingPong.QKEY);
        }
        return inline
                ? builder.inlineData(message).build()
                : builder.sge(new Sge(address, (int) message.byteSize(), lkey)).build();
    }

    /** Posts the message with {@code ibv_post_send}, which most programs use. */
    void send() {
        qp.postSend(request);
    }

    /** Posts the message with the allocation-free {@code ibv_wr_*} API. Not for datagrams. */
    void sendThroughBatch() {
        SendBatch batch = qp.startSend().wrId(SEND_WRID).signaled().send();
        if (inline) {
            batch.inline(message);
        } else {
            batch.sge(lkey, address, (int) message.byteSize());
        }
        batch.complete();
    }

    @Override
    public void close() {
        qp.close();
        if (path != null) {
            path.close();
        }
    }
}
