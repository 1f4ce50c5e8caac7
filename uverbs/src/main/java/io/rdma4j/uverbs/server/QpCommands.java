package io.rdma4j.uverbs.server;

import io.rdma4j.base.Errno;
import io.rdma4j.base.Gid;
import io.rdma4j.base.RdmaException;
import io.rdma4j.uverbs.abi.Attribute;
import io.rdma4j.uverbs.abi.Command;
import io.rdma4j.uverbs.abi.Message;
import io.rdma4j.uverbs.abi.QpAttributeCodec;
import io.rdma4j.uverbs.abi.RecordCodec;
import io.rdma4j.verbs.CompletionQueue;
import io.rdma4j.verbs.Flags;
import io.rdma4j.verbs.ProtectionDomain;
import io.rdma4j.verbs.QpCapabilities;
import io.rdma4j.verbs.QpCreateFlag;
import io.rdma4j.verbs.QpInitAttributes;
import io.rdma4j.verbs.QpType;
import io.rdma4j.verbs.QueuePair;
import io.rdma4j.verbs.SignalType;
import io.rdma4j.verbs.WrOpcode;
import io.rdma4j.verbs.XrcDomain;
import org.jspecify.annotations.Nullable;

/** Commands of queue pairs, doorbells and multicast groups among them. */
final class QpCommands {
    private final SessionObjects objects;

    private QpCommands(SessionObjects objects) {
        this.objects = objects;
    }

    static void addTo(CommandHandlers table, SessionObjects objects) {
        QpCommands commands = new QpCommands(objects);
        table.add(Command.CREATE_QP, commands::create);
        table.add(Command.MODIFY_QP, commands::modify);
        table.add(Command.QUERY_QP, commands::query);
        table.add(Command.POST_SEND, commands::wake);
        table.add(Command.ATTACH_MCAST, commands::attachMulticast);
        table.add(Command.DETACH_MCAST, commands::detachMulticast);
        table.addDestroy(Command.DESTROY_QP, ServedQp.class);
    }

    private void create(Message request, Message answer) {
        ProtectionDomain pd = objects.find(request, Attribute.PD, ProtectionDomain.class);
        QpType type = RecordCodec.byCode(QpType.values(), QpType::code, request.get(Attribute.QP_TYPE));
        QueueFile file = type == QpType.XRC_TGT ? null : QueueFile.create(objects.folder());
        try {
            QueuePair qp = pd.createQp(attributes(request, type, file));
            if (file != null && file.parts().isEmpty()) {
                qp.close();
                throw new RdmaException(
                        Errno.EOPNOTSUPP, "the queues of " + objects.context().device() + " cannot be shared");
            }
            int doorbell = objects.doorbells().add(qp);
            objects.add(answer, new ServedQp(qp, file, objects.doorbells(), doorbell))
                    .put(Attribute.QPN, qp.qpn())
                    .put(Attribute.DOORBELL, doorbell)
                    .putRecord(Attribute.CAPABILITIES, qp.initAttributes().capabilities());
            if (file != null) {
                file.putFirstPart(answer);
                QueueFile.Part receives = file.parts().getLast();
                answer.putLong(Attribute.RECEIVE_OFFSET, receives.offset())
                        .putLong(Attribute.RECEIVE_SIZE, receives.sizeBytes());
            }
        } catch (RuntimeException e) {
            if (file != null) {
                file.delete();
            }
            throw e;
        }
    }

    private @Nullable CompletionQueue cq(Message request, Attribute which) {
        ServedCq cq = objects.findIfAny(request, which, ServedCq.class);
        return cq == null ? null : cq.cq();
    }

    private QpInitAttributes attributes(Message request, QpType type, @Nullable QueueFile file) {
        ServedSrq srq = objects.findIfAny(request, Attribute.SRQ, ServedSrq.class);
        return QpInitAttributes.builder(cq(request, Attribute.SEND_CQ), cq(request, Attribute.RECV_CQ))
                .port(request.get(Attribute.PORT))
                .type(type)
                .srq(srq == null ? null : srq.srq())
                .xrcDomain(objects.findIfAny(request, Attribute.XRCD, XrcDomain.class))
                .etherType(request.get(Attribute.ETHER_TYPE))
                .createFlags(Flags.of(QpCreateFlag.class, request.get(Attribute.QP_FLAGS), QpCreateFlag::bit)
                        .toArray(QpCreateFlag[]::new))
                .sendOperations(
                        Flags.of(WrOpcode.class, request.getLong(Attribute.SEND_OPERATIONS), one -> 1L << one.code())
                                .toArray(WrOpcode[]::new))
                .capabilities(request.getRecord(Attribute.CAPABILITIES, QpCapabilities.class))
                .signalType(request.get(Attribute.SQ_SIG_ALL) != 0 ? SignalType.ALL_WR : SignalType.REQ_WR)
                .queueMemory(file)
                .userContext(request.getLong(Attribute.USER_HANDLE))
                .build();
    }

    private QueuePair find(Message request) {
        return objects.find(request, ServedQp.class).qp();
    }

    private void modify(Message request, Message answer) {
        QueuePair qp = find(request);
        qp.modify(QpAttributeCodec.get(request));
        answer.put(Attribute.QP_STATE, qp.state().code());
    }

    private void query(Message request, Message answer) {
        QpAttributeCodec.put(answer, find(request).query());
    }

    private void wake(Message request, Message answer) {
        objects.doorbells().wake();
    }

    private void attachMulticast(Message request, Message answer) {
        find(request).attachMulticast(group(request), request.get(Attribute.LID));
    }

    private void detachMulticast(Message request, Message answer) {
        find(request).detachMulticast(group(request), request.get(Attribute.LID));
    }

    private static Gid group(Message request) {
        return request.getRecord(Attribute.GID, Gid.class);
    }
}
