// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.tools.rdmacm;

import io.rdma4j.base.Gid;
import io.rdma4j.base.RdmaException;
import io.rdma4j.rdmacm.ConnectionEvent;
import io.rdma4j.rdmacm.ConnectionEventType;
import io.rdma4j.rdmacm.DatagramPeer;
import io.rdma4j.rdmacm.EventChannel;
import io.rdma4j.rdmacm.JoinMode;
import io.rdma4j.rdmacm.RdmaCm;
import io.rdma4j.rdmacm.RdmaId;
import io.rdma4j.tools.peer.ToolFailure;
import io.rdma4j.verbs.values.AddressVector;
import io.rdma4j.verbs.values.QpCreateFlag;
import java.io.PrintWriter;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/** One end of {@code mckey}: queue pairs that join a multicast group. One thread. */
final class MckeyEnd implements AutoCloseable {
    /** Time for switches to learn of the group. */
    private static final Duration PAUSE = Duration.ofSeconds(3);

    private final RdmaCm cm;
    private final TransferOptions options;
    private final InetSocketAddress group;
    private final PrintWriter out;
    private final EventChannel channel;
    private final List<RdmaId> ids = new ArrayList<>();
    private final List<TransferNode> nodes = new ArrayList<>();
    private final List<Map<String, Object>> members = new ArrayList<>();
    private long transferNs;

    /** @param group address of the group; the port has no meaning */
    MckeyEnd(RdmaCm cm, TransferOptions options, InetSocketAddress group, PrintWriter out) {
        this.cm = cm;
        this.options = options;
        this.group = group;
        this.out = out;
        this.channel = cm.createChannel();
    }

    /**
     * Joins the group with all queue pairs, and waits until switches know the group.
     *
     * @param loopback whether a queue pair that receives from the group receives its own datagrams
     */
    void join(JoinMode mode, boolean loopback) throws ToolFailure, InterruptedException {
        out.println("mckey: joining");
        for (int i = 0; i < options.connections(); i++) {
            joinOne(mode, loopback);
        }
        pause();
    }

    /** Sends to the group or receives from it, and leaves it. */
    void transfer(boolean isSender) throws ToolFailure, InterruptedException {
        long startNs = System.nanoTime();
        if (options.messages() > 0) {
            out.println(isSender ? "initiating data transfers" : "receiving data transfers");
            for (TransferNode node : nodes) {
                if (isSender) {
                    node.postSends();
                } else {
                    node.awaitReceives();
                }
            }
            if (isSender) {
                for (TransferNode node : nodes) {
                    node.awaitSends();
                }
            }
            out.println("data transfers complete");
        }
        transferNs = System.nanoTime() - startNs;
        for (TransferNode node : nodes) {
            node.id().leaveMulticast(group.getAddress());
        }
    }

    private void joinOne(JoinMode mode, boolean loopback) throws ToolFailure, InterruptedException {
        RdmaId id = cm.createId(channel, options.space());
        ids.add(id);
        try {
            InetSocketAddress own = options.bind() == null ? null : CmTool.address(options.bind(), 0, options.family());
            if (own != null) {
                id.bindAddress(own);
            }
            id.resolveAddress(own, group, CmTool.RESOLVE_MS);
            try (ConnectionEvent event = channel.get()) {
                check(event, ConnectionEventType.ADDR_RESOLVED);
            }
            TransferNode node = loopback
                    ? new TransferNode(id, "mckey", options)
                    : new TransferNode(id, "mckey", options, QpCreateFlag.BLOCK_MULTICAST_LOOPBACK);
            nodes.add(node);
            id.joinMulticast(group.getAddress(), mode, node);
            try (ConnectionEvent event = channel.get()) {
                check(event, ConnectionEventType.MULTICAST_JOIN);
                DatagramPeer peer = Objects.requireNonNull(event.datagram(), "address of the group");
                joined(node, peer.addressVector());
                node.peer(peer);
            }
        } catch (RdmaException e) {
            throw CmTool.failed("mckey: failure joining", e);
        }
    }

    private void joined(TransferNode node, AddressVector vector) {
        Gid dgid = Objects.requireNonNull(vector.route(), "a global route").destination();
        out.println("mckey: joined dgid: " + dgid + " mlid 0x" + Integer.toHexString(vector.dlid()) + " sl "
                + vector.serviceLevel());
        Map<String, Object> member = new LinkedHashMap<>();
        member.put("local", node.local());
        member.put("dgid", dgid.toString());
        member.put("mlid", vector.dlid());
        member.put("sl", vector.serviceLevel());
        members.add(member);
    }

    /** The JSON document after a run. */
    Map<String, Object> json(boolean isSender) {
        Map<String, Object> document = CmOutput.document(isSender ? "sender" : "receiver");
        document.put("group", group.getAddress().getHostAddress());
        document.put("members", members);
        document.put("messages", options.messages());
        document.put("size", options.bytes());
        document.put("transfer_seconds", CmOutput.seconds(transferNs));
        return document;
    }

    private static void check(ConnectionEvent event, ConnectionEventType type) throws ToolFailure {
        if (event.type() != type) {
            throw new ToolFailure("mckey: event: " + event.type().text() + ", error: " + event.status());
        }
    }

    private void pause() throws InterruptedException {
        long end = System.nanoTime() + PAUSE.toNanos();
        for (long left = PAUSE.toNanos(); left > 0; left = end - System.nanoTime()) {
            try (ConnectionEvent event = channel.get(Duration.ofNanos(left))) {
                if (event != null) {
                    out.println("mckey: event: " + event.type().text() + ", status: " + event.status());
                }
            }
        }
    }

    @Override
    public void close() {
        nodes.forEach(TransferNode::close);
        ids.forEach(RdmaId::close);
        channel.close();
    }
}
