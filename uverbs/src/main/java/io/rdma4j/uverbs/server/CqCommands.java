// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.uverbs.server;

import io.rdma4j.uverbs.abi.CommandAttribute;
import io.rdma4j.uverbs.abi.CommandType;
import io.rdma4j.uverbs.abi.Message;
import io.rdma4j.verbs.CompletionQueue;
import io.rdma4j.verbs.CqInitAttributes;
import io.rdma4j.verbs.values.CqCreateFlag;
import io.rdma4j.verbs.values.Flags;
import io.rdma4j.verbs.wr.CompletionField;

/** Executes the commands of completion queues. */
final class CqCommands {
    private final SessionObjects objects;

    private CqCommands(SessionObjects objects) {
        this.objects = objects;
    }

    static void addTo(CommandTable table, SessionObjects objects) {
        CqCommands commands = new CqCommands(objects);
        table.add(CommandType.CREATE_CQ, commands::create);
        table.add(CommandType.RESIZE_CQ, commands::resize);
        table.add(CommandType.REQ_NOTIFY_CQ, commands::requestNotification);
        table.add(CommandType.MODIFY_CQ, commands::moderate);
        table.addDestroy(CommandType.DESTROY_CQ, ServedCq.class);
    }

    private void create(Message request, Message answer) {
        QueueMemory memory = new QueueMemory(objects.folder());
        SessionEvents events = objects.events();
        CqInitAttributes asked = CqInitAttributes.of(
                        request.get(CommandAttribute.CQE), events.channel(), request.get(CommandAttribute.COMP_VECTOR))
                .withUserContext(request.getLong(CommandAttribute.USER_HANDLE))
                .withFields(
                        Flags.of(CompletionField.class, request.get(CommandAttribute.WC_FLAGS), CompletionField::bit))
                .withFlags(Flags.of(CqCreateFlag.class, request.get(CommandAttribute.CQ_FLAGS), CqCreateFlag::bit)
                        .toArray(CqCreateFlag[]::new))
                .withQueueMemory(memory);
        try {
            ServedCq cq = new ServedCq(objects.context().createCq(asked), memory, events);
            memory.settle(answer);
            objects.add(answer, cq).put(CommandAttribute.CQE, cq.cq().capacity());
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
            cq.cq().resize(request.get(CommandAttribute.CQE));
        } catch (RuntimeException e) {
            cq.memory().abandon();
            throw e;
        }
        cq.memory().settle(answer);
        answer.put(CommandAttribute.CQE, cq.cq().capacity());
    }

    private void requestNotification(Message request, Message answer) {
        find(request).requestNotificationAt(request.get(CommandAttribute.COMPLETIONS));
    }

    private void moderate(Message request, Message answer) {
        find(request).moderate(request.get(CommandAttribute.CQ_COUNT), request.get(CommandAttribute.CQ_PERIOD));
    }
}
