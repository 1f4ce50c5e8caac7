// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.tools.rdmacm;

import io.rdma4j.base.RdmaException;
import io.rdma4j.rdmacm.DatagramPeer;
import io.rdma4j.rdmacm.PortSpace;
import io.rdma4j.rdmacm.RdmaId;
import io.rdma4j.tools.peer.ToolFailure;
import io.rdma4j.verbs.AddressHandle;
import io.rdma4j.verbs.CompletionQueue;
import io.rdma4j.verbs.Context;
import io.rdma4j.verbs.MemoryRegion;
import io.rdma4j.verbs.ProtectionDomain;
import io.rdma4j.verbs.QpInitAttributes;
import io.rdma4j.verbs.QueuePair;
import io.rdma4j.verbs.ReceiveRequest;
import io.rdma4j.verbs.SendRequest;
import io.rdma4j.verbs.values.AccessFlag;
import io.rdma4j.verbs.values.QpCapabilities;
import io.rdma4j.verbs.values.QpCreateFlag;
import io.rdma4j.verbs.values.QpType;
import io.rdma4j.verbs.wr.SignalType;
import io.rdma4j.verbs.wr.WaitStrategy;
import io.rdma4j.verbs.wr.WcStatus;
import io.rdma4j.verbs.wr.WorkCompletion;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** A connection of {@code ucmatose}, or a queue pair of {@code udaddy}, with its memory. */
final class TransferNode implements AutoCloseable {
    private static final Duration LOOK = Duration.ofSeconds(1);
    private static final int GRH_BYTES = 40;

    /** Q_Key of the datagram services of rdma_cm: {@code RDMA_UDP_QKEY}. */
    private static final int UDP_QKEY = 0x0123_4567;

    private final RdmaId id;
    private final int messages;
    private final int bytes;

    /** Bytes in front of a datagram in the receive buffer. */
    private final int headerBytes;

    private final ProtectionDomain pd;
    private final CompletionQueue sends;
    private final CompletionQueue receives;
    private final QueuePair qp;
    private final MemoryRegion region;

    /** Where datagrams go; null for a connection, and as long as no datagram has come from a client. */
    private @Nullable AddressHandle path;

    private int peerQpn;

    /**
     * Makes queue pair and memory, and posts all receives.
     *
     * @param name of the program in its lines
     * @param flags of the queue pair
     */
    TransferNode(RdmaId id, String name, TransferOptions options, QpCreateFlag... flags) throws ToolFailure {
        boolean datagrams = options.space() == PortSpace.UDP;
        this.id = id;
        this.messages = options.messages();
        this.bytes = options.bytes();
        this.headerBytes = datagrams ? GRH_BYTES : 0;
        Context context = Objects.requireNonNull(id.verbs(), "an id with a device");
        int mtu = context.queryPort(id.port()).activeMtu().bytes();
        if (datagrams && bytes > mtu) {
            throw new ToolFailure(name + ": message_size " + bytes + " is larger than active mtu " + mtu);
        }
        int depth = Math.max(1, messages);
        pd = context.allocatePd();
        sends = context.createCq(depth);
        receives = context.createCq(depth);
        qp = id.createQp(
                pd,
                QpInitAttributes.builder(sends, receives)
                        .type(datagrams ? QpType.UD : QpType.RC)
                        .capabilities(QpCapabilities.of(depth, depth))
                        .signalType(SignalType.ALL_WR)
                        .createFlags(flags)
                        .build());
        region = pd.allocateMemory(Math.max(1, headerBytes + bytes), Set.of(AccessFlag.LOCAL_WRITE));
        for (int i = 0; i < messages; i++) {
            qp.postReceive(ReceiveRequest.of(i, region.sge(0, headerBytes + bytes)));
        }
    }

    RdmaId id() {
        return id;
    }

    /** Both ends, for a JSON document. */
    Map<String, Object> json() {
        Map<String, Object> members = new LinkedHashMap<>();
        members.put("local", local());
        members.put("remote", CmOutput.remote(id));
        return members;
    }

    /** Own address and queue pair, for a JSON document. */
    Map<String, Object> local() {
        return CmOutput.local(id, qp.qpn());
    }

    /** Sets where datagrams go. */
    void peer(DatagramPeer peer) {
        path = pd.createAddressHandle(peer.addressVector());
        peerQpn = peer.qpn();
    }

    void postSends() throws ToolFailure {
        AddressHandle to = path;
        try {
            for (int i = 0; i < messages; i++) {
                SendRequest.Builder request = to == null
                        ? SendRequest.send()
                        : SendRequest.sendWithImmediate(qp.qpn()).destination(to, peerQpn, UDP_QKEY);
                qp.postSend(request.wrId(i)
                        .sge(region.sge(headerBytes, bytes))
                        .signaled()
                        .build());
            }
        } catch (RdmaException e) {
            throw CmTool.failed("failed to post sends", e);
        }
    }

    void awaitSends() throws ToolFailure, InterruptedException {
        await(sends);
    }

    void awaitReceives() throws ToolFailure, InterruptedException {
        WorkCompletion last = await(receives);
        if (last != null && headerBytes > 0 && path == null) {
            // A client names its queue pair in the immediate data.
            path = pd.createAddressHandle(id.port(), last, region.segment());
            peerQpn = last.immediate();
        }
    }

    /** Returns the last completion. */
    private @Nullable WorkCompletion await(CompletionQueue cq) throws ToolFailure, InterruptedException {
        WorkCompletion last = null;
        int done = 0;
        while (done < messages) {
            for (WorkCompletion completion : cq.poll(messages - done, LOOK, WaitStrategy.PARK)) {
                if (completion.status() != WcStatus.SUCCESS) {
                    throw new ToolFailure(
                            "failed to transfer message " + done + " of " + messages + ": " + completion.status());
                }
                last = completion;
                done++;
            }
        }
        return last;
    }

    @Override
    public void close() {
        id.destroyQp();
        if (path != null) {
            path.close();
        }
        sends.close();
        receives.close();
        region.close();
        pd.close();
        id.close();
    }
}
