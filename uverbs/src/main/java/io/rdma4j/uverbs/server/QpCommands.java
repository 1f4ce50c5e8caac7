// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.uverbs.server;

import io.rdma4j.base.Errno;
import io.rdma4j.base.Gid;
import io.rdma4j.base.RdmaException;
import io.rdma4j.uverbs.abi.CommandAttribute;
import io.rdma4j.uverbs.abi.CommandType;
import io.rdma4j.uverbs.abi.Message;
import io.rdma4j.uverbs.abi.QpAttributeCodec;
import io.rdma4j.uverbs.abi.RecordCodec;
import io.rdma4j.verbs.CompletionQueue;
import io.rdma4j.verbs.ProtectionDomain;
import io.rdma4j.verbs.QpInitAttributes;
import io.rdma4j.verbs.QueuePair;
import io.rdma4j.verbs.XrcDomain;
import io.rdma4j.verbs.values.Flags;
import io.rdma4j.verbs.values.QpCapabilities;
import io.rdma4j.verbs.values.QpCreateFlag;
import io.rdma4j.verbs.values.QpType;
import io.rdma4j.verbs.wr.SignalType;
import io.rdma4j.verbs.wr.WrOpcode;
import org.jspecify.annotations.Nullable;

/** Executes the commands of queue pairs, including doorbells and multicast groups. */
final class QpCommands {
    private final SessionObjects objects;

    private QpCommands(SessionObjects objects) {
        this.objects = objects;
    }

    static void addTo(CommandTable table, SessionObjects objects) {
        QpCommands commands = new QpCommands(objects);
        table.add(CommandType.CREATE_QP, commands::create);
        table.add(CommandType.MODIFY_QP, commands::modify);
        table.add(CommandType.QUERY_QP, commands::query);
        table.add(CommandType.POST_SEND, commands::wake);
        table.add(CommandType.ATTACH_MCAST, commands::attachMulticast);
        table.add(CommandType.DETACH_MCAST, commands::detachMulticast);
        table.addDestroy(CommandType.DESTROY_QP, ServedQp.class);
    }

    private void create(Message request, Message answer) {
        ProtectionDomain pd = objects.find(request, CommandAttribute.PD, ProtectionDomain.class);
        QpType type = RecordCodec.byCode(QpType.values(), QpType::code, request.get(CommandAttribute.QP_TYPE));
        QueueMemory memory = new QueueMemory(objects.folder());
        try {
            QueuePair qp = pd.createQp(attributes(request, type, memory));
            if (type != QpType.XRC_TGT && !memory.hasMoved()) {
                qp.close();
                throw new RdmaException(
                        Errno.EOPNOTSUPP, "the queues of " + objects.context().device() + " cannot be shared");
            }
            int doorbell = objects.doorbells().add(qp);
            objects.add(answer, new ServedQp(qp, memory, objects.doorbells(), doorbell))
                    .put(CommandAttribute.QPN, qp.qpn())
                    .put(CommandAttribute.DOORBELL, doorbell)
                    .putRecord(
                            CommandAttribute.CAPABILITIES, qp.initAttributes().capabilities());
            if (memory.hasMoved()) {
                memory.settle(answer, true, true);
            }
        } catch (RuntimeException e) {
            memory.abandon();
            throw e;
        }
    }

    private @Nullable CompletionQueue cq(Message request, CommandAttribute which) {
        ServedCq cq = objects.findIfAny(request, which, ServedCq.class);
        return cq == null ? null : cq.cq();
    }

    private QpInitAttributes attributes(Message request, QpType type, QueueMemory memory) {
        ServedSrq srq = objects.findIfAny(request, CommandAttribute.SRQ, ServedSrq.class);
        return QpInitAttributes.builder(cq(request, CommandAttribute.SEND_CQ), cq(request, CommandAttribute.RECV_CQ))
                .port(request.get(CommandAttribute.PORT))
                .type(type)
                .srq(srq == null ? null : srq.srq())
                .xrcDomain(objects.findIfAny(request, CommandAttribute.XRCD, XrcDomain.class))
                .etherType(request.get(CommandAttribute.ETHER_TYPE))
                .createFlags(Flags.of(QpCreateFlag.class, request.get(CommandAttribute.QP_FLAGS), QpCreateFlag::bit)
                        .toArray(QpCreateFlag[]::new))
                .sendOperations(Flags.of(
                                WrOpcode.class,
                                request.getLong(CommandAttribute.SEND_OPERATIONS),
                                one -> 1L << one.code())
                        .toArray(WrOpcode[]::new))
                .capabilities(request.getRecord(CommandAttribute.CAPABILITIES, QpCapabilities.class))
                .signalType(request.get(CommandAttribute.SQ_SIG_ALL) != 0 ? SignalType.ALL_WR : SignalType.REQ_WR)
                .queueMemory(type == QpType.XRC_TGT ? null : memory)
                .userContext(request.getLong(CommandAttribute.USER_HANDLE))
                .build();
    }

    private QueuePair find(Message request) {
        return objects.find(request, ServedQp.class).qp();
    }

    private void modify(Message request, Message answer) {
        ServedQp served = objects.find(request, ServedQp.class);
        QueuePair qp = served.qp();
        QpCapabilities before = qp.initAttributes().capabilities();
        try {
            qp.modify(QpAttributeCodec.get(request));
        } catch (RuntimeException e) {
            served.memory().abandon();
            throw e;
        }
        answer.put(CommandAttribute.QP_STATE, qp.state().code());
        if (served.memory().hasMoved()) {
            QpCapabilities after = qp.initAttributes().capabilities();
            answer.putRecord(CommandAttribute.CAPABILITIES, after);
            served.memory()
                    .settle(
                            answer,
                            after.maxSendWr() != before.maxSendWr(),
                            after.maxReceiveWr() != before.maxReceiveWr());
        }
    }

    private void query(Message request, Message answer) {
        QpAttributeCodec.put(answer, find(request).query());
    }

    private void wake(Message request, Message answer) {
        objects.doorbells().wake();
    }

    private void attachMulticast(Message request, Message answer) {
        find(request).attachMulticast(group(request), request.get(CommandAttribute.LID));
    }

    private void detachMulticast(Message request, Message answer) {
        find(request).detachMulticast(group(request), request.get(CommandAttribute.LID));
    }

    private static Gid group(Message request) {
        return request.getRecord(CommandAttribute.GID, Gid.class);
    }
}
