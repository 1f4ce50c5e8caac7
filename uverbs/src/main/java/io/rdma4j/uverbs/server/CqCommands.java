package io.rdma4j.uverbs.server;

import io.rdma4j.uverbs.abi.Attribute;
import io.rdma4j.uverbs.abi.Command;
import io.rdma4j.uverbs.abi.Message;
import io.rdma4j.verbs.CompletionField;
import io.rdma4j.verbs.CompletionQueue;
import io.rdma4j.verbs.CqCreateFlag;
import io.rdma4j.verbs.CqInitAttributes;
import io.rdma4j.verbs.Flags;
import io.rdma4j.verbs.queue.CompletionRing;

/** Commands of completion queues. */
final class CqCommands {
    private final SessionObjects objects;

    private CqCommands(SessionObjects objects) {
        this.objects = objects;
    }

    static void addTo(CommandHandlers table, SessionObjects objects) {
        CqCommands commands = new CqCommands(objects);
        table.add(Command.CREATE_CQ, commands::create);
        table.add(Command.REQ_NOTIFY_CQ, commands::requestNotification);
        table.addDestroy(Command.DESTROY_CQ, ServedCq.class);
    }

    private void create(Message request, Message answer) {
        QueueFile file = QueueFile.create(objects.folder());
        int entries = request.get(Attribute.CQE);
        SessionEvents events = objects.events();
        try {
            CqInitAttributes asked = CqInitAttributes.of(entries, events.channel(), request.get(Attribute.COMP_VECTOR))
                    .withUserContext(request.getLong(Attribute.USER_HANDLE))
                    .withFields(Flags.of(CompletionField.class, request.get(Attribute.WC_FLAGS), CompletionField::bit))
                    .withFlags(Flags.of(CqCreateFlag.class, request.get(Attribute.CQ_FLAGS), CqCreateFlag::bit)
                            .toArray(CqCreateFlag[]::new))
                    .withBuffer(file.allocate(CompletionRing.bytes(entries), Long.BYTES));
            ServedCq cq = new ServedCq(objects.context().createCq(asked), file, events);
            objects.add(answer, cq).put(Attribute.CQE, cq.cq().capacity());
            file.putFirstPart(answer);
        } catch (RuntimeException e) {
            file.delete();
            throw e;
        }
    }

    private void requestNotification(Message request, Message answer) {
        CompletionQueue cq = objects.find(request, ServedCq.class).cq();
        boolean waiting = cq.requestNotification(request.get(Attribute.SOLICITED_ONLY) != 0);
        answer.put(Attribute.WAITING, waiting ? 1 : 0);
    }
}
