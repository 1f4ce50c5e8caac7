// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.uverbs.server;

import io.rdma4j.base.Errno;
import io.rdma4j.base.RdmaException;
import io.rdma4j.uverbs.abi.CommandAttribute;
import io.rdma4j.uverbs.abi.CommandType;
import io.rdma4j.uverbs.abi.Message;
import io.rdma4j.verbs.ProtectionDomain;
import io.rdma4j.verbs.SharedReceiveQueue;
import io.rdma4j.verbs.SrqInitAttributes;
import io.rdma4j.verbs.XrcDomain;
import io.rdma4j.verbs.values.SrqAttributes;
import io.rdma4j.verbs.values.SrqType;

/** Executes the commands of shared receive queues. */
final class SrqCommands {
    private static final int MAX_WR = 1;
    private static final int LIMIT = 2;

    private final SessionObjects objects;

    private SrqCommands(SessionObjects objects) {
        this.objects = objects;
    }

    static void addTo(CommandTable table, SessionObjects objects) {
        SrqCommands commands = new SrqCommands(objects);
        table.add(CommandType.CREATE_SRQ, commands::create);
        table.add(CommandType.CREATE_XSRQ, commands::createXrc);
        table.add(CommandType.MODIFY_SRQ, commands::modify);
        table.add(CommandType.QUERY_SRQ, commands::query);
        table.addDestroy(CommandType.DESTROY_SRQ, ServedSrq.class);
    }

    private static SrqAttributes sizes(Message request) {
        return request.getRecord(CommandAttribute.SRQ_ATTRIBUTES, SrqAttributes.class);
    }

    private void create(Message request, Message answer) {
        create(request, answer, SrqInitAttributes.basic(sizes(request), null, null));
    }

    private void createXrc(Message request, Message answer) {
        SrqInitAttributes asked = SrqInitAttributes.xrc(
                sizes(request),
                objects.find(request, CommandAttribute.XRCD, XrcDomain.class),
                objects.find(request, CommandAttribute.RECV_CQ, ServedCq.class).cq());
        create(request, answer, asked);
    }

    private void create(Message request, Message answer, SrqInitAttributes asked) {
        ProtectionDomain pd = objects.find(request, CommandAttribute.PD, ProtectionDomain.class);
        QueueMemory memory = new QueueMemory(objects.folder());
        try {
            SharedReceiveQueue srq = pd.createSrq(asked.withUserContext(request.getLong(CommandAttribute.USER_HANDLE))
                    .withQueueMemory(memory));
            memory.settle(answer);
            objects.add(answer, new ServedSrq(srq, memory)).putRecord(CommandAttribute.SRQ_ATTRIBUTES, srq.query());
            if (asked.type() == SrqType.XRC) {
                answer.put(CommandAttribute.SRQ_NUMBER, srq.number());
            }
        } catch (RuntimeException e) {
            memory.abandon();
            throw e;
        }
    }

    private void modify(Message request, Message answer) {
        ServedSrq srq = objects.find(request, ServedSrq.class);
        SrqAttributes wanted = sizes(request);
        switch (request.get(CommandAttribute.SRQ_MASK)) {
            case LIMIT -> srq.srq().armLimit(wanted.limit());
            case MAX_WR -> {
                try {
                    srq.srq().resize(wanted.maxWr());
                } catch (RuntimeException e) {
                    srq.memory().abandon();
                    throw e;
                }
                srq.memory().settle(answer);
            }
            default ->
                throw new RdmaException(
                        Errno.EINVAL,
                        "attr_mask " + request.get(CommandAttribute.SRQ_MASK) + ": 1 is the size, 2 the limit");
        }
        answer.putRecord(CommandAttribute.SRQ_ATTRIBUTES, srq.srq().query());
    }

    private void query(Message request, Message answer) {
        answer.putRecord(
                CommandAttribute.SRQ_ATTRIBUTES,
                objects.find(request, ServedSrq.class).srq().query());
    }
}
