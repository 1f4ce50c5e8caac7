package io.rdma4j.uverbs.server;

import io.rdma4j.uverbs.abi.Attribute;
import io.rdma4j.uverbs.abi.Command;
import io.rdma4j.uverbs.abi.Message;
import io.rdma4j.verbs.CompletionField;
import io.rdma4j.verbs.CompletionQueue;
import io.rdma4j.verbs.CqCreateFlag;
import io.rdma4j.verbs.CqInitAttributes;
import io.rdma4j.verbs.Flags;

/** Commands of completion queues. */
final class CqCommands {
    private final SessionObjects objects;

    private CqCommands(SessionObjects objects) {
        this.objects = objects;
    }

    static void addTo(CommandHandlers table, SessionObjects objects) {
        CqCommands commands = new CqCommands(objects);
        table.add(Command.CREATE_CQ, commands::create);
        table.add(Command.RESIZE_CQ, commands::resize);
        table.add(Command.REQ_NOTIFY_CQ, commands::requestNotification);
        table.add(Command.MODIFY_CQ, commands::moderate);
        table.addDestroy(Command.DESTROY_CQ, ServedCq.class);
    }

    private void create(Message request, Message answer) {
        MovableQueue memory = new MovableQueue(objects.folder());
        SessionEvents events = objects.events();
        CqInitAttributes asked = CqInitAttributes.of(
                        request.get(Attribute.CQE), events.channel(), request.get(Attribute.COMP_VECTOR))
                .withUserContext(request.getLong(Attribute.USER_HANDLE))
                .withFields(Flags.of(CompletionField.class, request.get(Attribute.WC_FLAGS), CompletionField::bit))
                .withFlags(Flags.of(CqCreateFlag.class, request.get(Attribute.CQ_FLAGS), CqCreateFlag::bit)
                        .toArray(CqCreateFlag[]::new))
                .withQueueMemory(memory);
        try {
            ServedCq cq = new ServedCq(objects.context().createCq(asked), memory, events);
            memory.settle(answer);
            objects.add(answer, cq).put(Attribute.CQE, cq.cq().capacity());
        } catch (RuntimeException e) {
            memory.abandon();
            throw e;
        }
    }

    private CompletionQueue find(Message request) {
        return objects.find(request, ServedCq.class).cq();
    }

    private void resize(Message request, Message answer) {
        ServedCq cq = objects.find(request, ServedCq.class);
        try {
            cq.cq().resize(request.get(Attribute.CQE));
        } catch (RuntimeException e) {
            cq.memory().abandon();
            throw e;
        }
        cq.memory().settle(answer);
        answer.put(Attribute.CQE, cq.cq().capacity());
    }

    private void requestNotification(Message request, Message answer) {
        find(request).requestNotificationAt(request.get(Attribute.COMPLETIONS));
    }

    private void moderate(Message request, Message answer) {
        find(request).moderate(request.get(Attribute.CQ_COUNT), request.get(Attribute.CQ_PERIOD));
    }
}
