// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.tools.pingpong;

import io.rdma4j.base.Gid;
import io.rdma4j.tools.peer.Attempt;
import io.rdma4j.tools.peer.Closers;
import io.rdma4j.tools.peer.RandomPsn;
import io.rdma4j.tools.peer.ToolFailure;
import io.rdma4j.verbs.CompletionChannel;
import io.rdma4j.verbs.CompletionQueue;
import io.rdma4j.verbs.Context;
import io.rdma4j.verbs.Device;
import io.rdma4j.verbs.MemoryRegion;
import io.rdma4j.verbs.ProtectionDomain;
import io.rdma4j.verbs.QpInitAttributes;
import io.rdma4j.verbs.QueuePair;
import io.rdma4j.verbs.SharedReceiveQueue;
import io.rdma4j.verbs.SrqInitAttributes;
import io.rdma4j.verbs.XrcDomain;
import io.rdma4j.verbs.values.AccessFlag;
import io.rdma4j.verbs.values.AddressVector;
import io.rdma4j.verbs.values.GlobalRoute;
import io.rdma4j.verbs.values.QpAttributes;
import io.rdma4j.verbs.values.QpCapabilities;
import io.rdma4j.verbs.values.QpState;
import io.rdma4j.verbs.values.QpType;
import io.rdma4j.verbs.values.Rate;
import io.rdma4j.verbs.values.SrqAttributes;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The verbs objects of an XRC ping-pong: an initiator queue pair that sends, a target queue pair without queues, and
 * the shared receive queue that each message of the peer names. Sizes and attributes are those of the original.
 */
final class XsrqContext implements AutoCloseable {
    private static final int HOP_LIMIT = 5;

    private final XsrqOptions options;
    private final Closers closers;
    private final Context context;
    private final @Nullable CompletionChannel channel;
    private final MemoryRegion region;
    private final CompletionQueue receiveCq;
    private final CompletionQueue sendCq;
    private final SharedReceiveQueue srq;
    private final QueuePair receiver;
    private final QueuePair sender;
    private final int psn = RandomPsn.next();

    /** Opens the device and creates the queue pairs, in INIT. */
    static XsrqContext open(Device device, XsrqOptions options) throws ToolFailure {
        Closers closers = new Closers();
        try {
            return new XsrqContext(device, options, closers);
        } catch (ToolFailure | RuntimeException e) {
            closers.closeAfter(e);
            throw e;
        }
    }

    private XsrqContext(Device device, XsrqOptions options, Closers closers) throws ToolFailure {
        this.options = options;
        this.closers = closers;
        context = Attempt.to("Couldn't get context for " + device.name(), device::open);
        closers.push("Couldn't release context", context::close);
        channel = options.events()
                ? Attempt.to("Couldn't create completion channel", context::createCompletionChannel)
                : null;
        if (channel != null) {
            closers.push("Couldn't destroy completion channel", channel::close);
        }
        ProtectionDomain pd = Attempt.to("Couldn't allocate PD", context::allocatePd);
        closers.push("Couldn't deallocate PD", pd::close);
        Arena arena = Arena.ofShared();
        closers.push("Couldn't free work buf.", arena::close);
        MemorySegment memory = context.allocateBuffer(options.sizeBytes(), Long.BYTES, arena);
        region = Attempt.to(
                "Couldn't register MR", () -> pd.registerMemory(memory, PingPongContext.rights(options.onDemand())));
        closers.push("Couldn't deregister MR", region::close);
        XrcDomain domain = Attempt.to("Couldn't Open the XRC Domain", context::openXrcDomain);
        closers.push("Couldn't close XRC domain", domain::close);
        receiveCq = Attempt.to("Couldn't create recv CQ", () -> context.createCq(1, channel));
        closers.push("Couldn't destroy CQ", receiveCq::close);
        sendCq = Attempt.to("Couldn't create send CQ", () -> context.createCq(1));
        closers.push("Couldn't destroy CQ", sendCq::close);
        srq = Attempt.to(
                "Couldn't create SRQ",
                () -> pd.createSrq(SrqInitAttributes.xrc(new SrqAttributes(1, 1, 0), domain, receiveCq)));
        closers.push("Couldn't destroy SRQ", srq::close);
        receiver = Attempt.to(
                "Couldn't create recv QP",
                () -> pd.createQp(QpInitAttributes.xrcTarget(domain).build()));
        closers.push("Couldn't destroy QP", receiver::close);
        sender = Attempt.to("Couldn't create send QP", () -> pd.createQp(initiator()));
        closers.push("Couldn't destroy QP", sender::close);
        modify(receiver, "recv QP to INIT", init(Set.of(AccessFlag.REMOTE_WRITE, AccessFlag.REMOTE_READ)));
        modify(sender, "send QP to INIT", init(Set.of()));
    }

    private QpInitAttributes initiator() {
        return QpInitAttributes.builder(sendCq, null)
                .type(QpType.XRC_INI)
                .capabilities(QpCapabilities.of(options.tests(), 0))
                .build();
    }

    private QpAttributes init(Set<AccessFlag> rights) {
        return QpAttributes.builder()
                .state(QpState.INIT)
                .pkeyIndex(0)
                .port(options.port())
                .accessFlags(rights)
                .build();
    }

    private static void modify(QueuePair qp, String what, QpAttributes attributes) throws ToolFailure {
        Attempt.run("Failed to modify " + what, () -> qp.modify(attributes));
    }

    /** Returns the address for the peer. */
    XsrqAddress localAddress() throws ToolFailure {
        int index = options.gidIndex();
        Gid gid = Attempt.to("can't read sgid of index " + index, () -> context.queryGid(options.port(), index));
        int lid = context.queryPort(options.port()).lid();
        return new XsrqAddress(lid, receiver.qpn(), sender.qpn(), psn, srq.number(), gid);
    }

    /** Moves both queue pairs to RTS: the local initiator sends to the peer's target, and vice versa. */
    void connect(XsrqAddress remote) throws ToolFailure {
        modify(receiver, "recv QP to RTR", toRtr(remote, remote.sendQpn()));
        modify(receiver, "recv QP to RTS", toRts());
        modify(sender, "send QP to RTR", toRtr(remote, remote.receiveQpn()));
        modify(sender, "send QP to RTS", toRts());
    }

    /** Attributes that a queue pair does not have are ignored. */
    private QpAttributes toRtr(XsrqAddress remote, int qpn) {
        GlobalRoute route = new GlobalRoute(remote.gid(), 0, options.gidIndex(), HOP_LIMIT, 0);
        return QpAttributes.builder()
                .state(QpState.RTR)
                .addressVector(new AddressVector(
                        route, remote.lid(), options.serviceLevel(), 0, Rate.PORT_CURRENT, options.port()))
                .pathMtu(options.pathMtu())
                .destinationQpn(qpn)
                .rqPsn(remote.psn())
                .maxDestRdAtomic(0)
                .minRnrTimer(12)
                .build();
    }

    private QpAttributes toRts() {
        return QpAttributes.builder()
                .state(QpState.RTS)
                .timeout(14)
                .retryCount(7)
                .rnrRetry(7)
                .sqPsn(psn)
                .maxRdAtomic(0)
                .build();
    }

    /** Posts a receive to the shared queue. */
    void postReceive() {
        srq.startReceive()
                .receive(0)
                .sge(region.lkey(), region.address(), options.sizeBytes())
                .complete();
    }

    /**
     * Posts a message for a shared receive queue of the peer.
     *
     * @param last true: the message is signalled
     */
    void postSend(int srqn, boolean last) {
        var batch = sender.startSend().wrId(0);
        if (last) {
            batch.signaled();
        }
        batch.send()
                .xrcSrq(srqn)
                .sge(region.lkey(), region.address(), options.sizeBytes())
                .complete();
    }

    /** Null if the ping-pong polls for completions. */
    @Nullable
    CompletionChannel channel() {
        return channel;
    }

    CompletionQueue receiveCq() {
        return receiveCq;
    }

    CompletionQueue sendCq() {
        return sendCq;
    }

    /** Closes all objects in reverse order. */
    @Override
    public void close() throws ToolFailure {
        closers.close();
    }
}
