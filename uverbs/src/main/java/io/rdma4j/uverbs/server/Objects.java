package io.rdma4j.uverbs.server;

import io.rdma4j.base.Errno;
import io.rdma4j.base.Gid;
import io.rdma4j.base.RdmaException;
import io.rdma4j.uverbs.abi.Attribute;
import io.rdma4j.uverbs.abi.Message;
import io.rdma4j.uverbs.abi.QpAttributeCodec;
import io.rdma4j.uverbs.abi.RecordCodec;
import io.rdma4j.verbs.AccessFlag;
import io.rdma4j.verbs.AddressHandle;
import io.rdma4j.verbs.AddressVector;
import io.rdma4j.verbs.CompletionField;
import io.rdma4j.verbs.CompletionQueue;
import io.rdma4j.verbs.Context;
import io.rdma4j.verbs.CqCreateFlag;
import io.rdma4j.verbs.CqInitAttributes;
import io.rdma4j.verbs.Flags;
import io.rdma4j.verbs.GidEntry;
import io.rdma4j.verbs.ProtectionDomain;
import io.rdma4j.verbs.QpAttributes;
import io.rdma4j.verbs.QpCapabilities;
import io.rdma4j.verbs.QpInitAttributes;
import io.rdma4j.verbs.QpType;
import io.rdma4j.verbs.QueuePair;
import io.rdma4j.verbs.SignalType;
import io.rdma4j.verbs.queue.CompletionRing;
import java.nio.file.Path;

/**
 * Carries out the commands of a session on the objects that it has made. Answers to the handlers of {@code uverbs_cmd.c}. An object gets
 * its handle when it is complete, and what cannot be completed is undone. One thread.
 */
final class Objects {
    private final Context context;
    private final SessionEvents events;
    private final SharedFolder folder;
    private final Handles handles = new Handles();

    Objects(Context context, SessionEvents events, SharedFolder folder) {
        this.context = context;
        this.events = events;
        this.folder = folder;
    }

    /**
     * Carries out a command.
     *
     * @return the answer
     * @throws RdmaException why it is refused
     */
    Message execute(Message request) {
        if (!request.command().isSupportedBy(context.queryDevice())) {
            throw new RdmaException(Errno.EOPNOTSUPP, context.device() + " has no " + request.command());
        }
        Message answer = new Message(request.command());
        switch (request.command()) {
            case QUERY_DEVICE -> answer.putRecord(Attribute.DEVICE, ServedAttributes.of(context.queryDevice()));
            case QUERY_PORT ->
                answer.putRecord(Attribute.PORT_ATTRIBUTES, context.queryPort(request.get(Attribute.PORT)));
            case QUERY_GID -> queryGid(request, answer);
            case QUERY_PKEY ->
                answer.put(
                        Attribute.PKEY, context.queryPkey(request.get(Attribute.PORT), request.get(Attribute.INDEX)));
            case QUERY_COUNTERS ->
                answer.putBytes(
                        Attribute.COUNTERS, RecordCodec.encode(context.queryHwCounters(request.get(Attribute.PORT))));
            case ALLOC_PD -> answer.put(Attribute.HANDLE, handles.add(context.allocatePd()));
            case REG_MR -> registerMemory(request, answer);
            case CREATE_AH -> createAddressHandle(request, answer);
            case MODIFY_AH -> find(request, AddressHandle.class).modify(vector(request));
            case CREATE_CQ -> createCq(request, answer);
            case REQ_NOTIFY_CQ -> requestNotification(request, answer);
            case CREATE_QP -> createQp(request, answer);
            case MODIFY_QP -> modifyQp(request, answer);
            case QUERY_QP ->
                QpAttributeCodec.put(answer, find(request, ServedQp.class).qp().query());
            case POST_SEND, POST_RECV -> find(request, ServedQp.class).qp().ringDoorbell();
            case ATTACH_MCAST -> find(request, ServedQp.class).qp().attachMulticast(group(request), lid(request));
            case DETACH_MCAST -> find(request, ServedQp.class).qp().detachMulticast(group(request), lid(request));
            case DEALLOC_PD -> destroy(request, ProtectionDomain.class);
            case DEREG_MR -> destroy(request, ServedRegion.class);
            case DESTROY_AH -> destroy(request, AddressHandle.class);
            case DESTROY_CQ -> destroy(request, ServedCq.class);
            case DESTROY_QP -> destroy(request, ServedQp.class);
            case GET_CONTEXT -> throw new RdmaException(Errno.EINVAL, "this connection has a context already");
            case COMPLETION_EVENT, ASYNC_EVENT ->
                throw new RdmaException(Errno.EOPNOTSUPP, request.command() + " is what the server tells");
        }
        return answer;
    }

    private <T> T find(Message request, Class<T> kind) {
        return handles.get(request.get(Attribute.HANDLE), kind);
    }

    private void destroy(Message request, Class<? extends AutoCloseable> kind) {
        close(find(request, kind));
        handles.remove(request.get(Attribute.HANDLE));
    }

    private static void close(AutoCloseable object) {
        try {
            object.close();
        } catch (RuntimeException e) {
            throw e;
        } catch (Exception e) {
            throw new IllegalStateException(e);
        }
    }

    private void queryGid(Message request, Message answer) {
        GidEntry entry = context.queryGidEntry(request.get(Attribute.PORT), request.get(Attribute.INDEX));
        answer.putRecord(Attribute.GID_ENTRY, entry);
    }

    private void registerMemory(Message request, Message answer) {
        ProtectionDomain pd = handles.get(request.get(Attribute.PD), ProtectionDomain.class);
        ServedRegion region = ServedRegion.register(
                pd,
                Path.of(request.getText(Attribute.FILE)),
                request.getLong(Attribute.OFFSET),
                request.getLong(Attribute.SIZE),
                request.getLong(Attribute.IOVA),
                AccessFlag.ofMask(request.get(Attribute.ACCESS)));
        answer.put(Attribute.HANDLE, handles.add(region))
                .put(Attribute.LKEY, region.region().lkey())
                .put(Attribute.RKEY, region.region().rkey());
    }

    private static AddressVector vector(Message request) {
        return request.getRecord(Attribute.ADDRESS_VECTOR, AddressVector.class);
    }

    private void createAddressHandle(Message request, Message answer) {
        ProtectionDomain pd = handles.get(request.get(Attribute.PD), ProtectionDomain.class);
        AddressHandle made = pd.createAddressHandle(vector(request));
        answer.put(Attribute.HANDLE, handles.add(made)).put(Attribute.AH_NUMBER, made.handle());
    }

    private void createCq(Message request, Message answer) {
        QueueFile file = QueueFile.create(folder.path());
        int entries = request.get(Attribute.CQE);
        try {
            CqInitAttributes asked = CqInitAttributes.of(entries, events.channel(), request.get(Attribute.COMP_VECTOR))
                    .withUserContext(request.getLong(Attribute.USER_HANDLE))
                    .withFields(Flags.of(CompletionField.class, request.get(Attribute.WC_FLAGS), CompletionField::bit))
                    .withFlags(Flags.of(CqCreateFlag.class, request.get(Attribute.CQ_FLAGS), CqCreateFlag::bit)
                            .toArray(CqCreateFlag[]::new))
                    .withBuffer(file.allocate(CompletionRing.bytes(entries), Long.BYTES));
            ServedCq cq = new ServedCq(context.createCq(asked), file, events);
            answer.put(Attribute.HANDLE, handles.add(cq))
                    .put(Attribute.CQE, cq.cq().capacity());
            putMemory(answer, file);
        } catch (RuntimeException e) {
            file.delete();
            throw e;
        }
    }

    private static void putMemory(Message answer, QueueFile file) {
        QueueFile.Part first = file.parts().getFirst();
        answer.putText(Attribute.FILE, file.path().toString())
                .putLong(Attribute.OFFSET, first.offset())
                .putLong(Attribute.SIZE, first.sizeBytes());
    }

    private void requestNotification(Message request, Message answer) {
        CompletionQueue cq = find(request, ServedCq.class).cq();
        boolean waiting = cq.requestNotification(request.get(Attribute.SOLICITED_ONLY) != 0);
        answer.put(Attribute.WAITING, waiting ? 1 : 0);
    }

    private void createQp(Message request, Message answer) {
        ProtectionDomain pd = handles.get(request.get(Attribute.PD), ProtectionDomain.class);
        QueueFile file = QueueFile.create(folder.path());
        try {
            QueuePair qp = pd.createQp(attributes(request, file));
            if (file.parts().isEmpty()) {
                qp.close();
                throw new RdmaException(Errno.EOPNOTSUPP, "the queues of " + context.device() + " cannot be shared");
            }
            ServedQp served = new ServedQp(qp, file);
            answer.put(Attribute.HANDLE, handles.add(served))
                    .put(Attribute.QPN, qp.qpn())
                    .putRecord(Attribute.CAPABILITIES, qp.initAttributes().capabilities());
            putMemory(answer, file);
            QueueFile.Part receives = file.parts().getLast();
            answer.putLong(Attribute.RECEIVE_OFFSET, receives.offset())
                    .putLong(Attribute.RECEIVE_SIZE, receives.sizeBytes());
        } catch (RuntimeException e) {
            file.delete();
            throw e;
        }
    }

    private QpInitAttributes attributes(Message request, QueueFile file) {
        CompletionQueue sends =
                handles.get(request.get(Attribute.SEND_CQ), ServedCq.class).cq();
        CompletionQueue receives =
                handles.get(request.get(Attribute.RECV_CQ), ServedCq.class).cq();
        return QpInitAttributes.builder(sends, receives)
                .port(request.get(Attribute.PORT))
                .type(RecordCodec.byCode(QpType.values(), QpType::code, request.get(Attribute.QP_TYPE)))
                .capabilities(request.getRecord(Attribute.CAPABILITIES, QpCapabilities.class))
                .signalType(request.get(Attribute.SQ_SIG_ALL) != 0 ? SignalType.ALL_WR : SignalType.REQ_WR)
                .queueMemory(file)
                .userContext(request.getLong(Attribute.USER_HANDLE))
                .build();
    }

    private void modifyQp(Message request, Message answer) {
        QueuePair qp = find(request, ServedQp.class).qp();
        QpAttributes change = QpAttributeCodec.get(request);
        qp.modify(change);
        answer.put(Attribute.QP_STATE, qp.state().code());
    }

    private static Gid group(Message request) {
        return request.getRecord(Attribute.GID, Gid.class);
    }

    private static int lid(Message request) {
        return request.get(Attribute.LID);
    }

    /** The client is gone: so is everything that it had. */
    void closeAll() {
        for (Object object : handles.newestFirst()) {
            close((AutoCloseable) object);
        }
        events.close();
        context.close();
        folder.delete();
    }
}
