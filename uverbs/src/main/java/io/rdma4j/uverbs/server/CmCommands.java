// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.uverbs.server;

import io.rdma4j.base.Errno;
import io.rdma4j.base.Gid;
import io.rdma4j.base.RdmaException;
import io.rdma4j.cm.CmAddress;
import io.rdma4j.cm.gsi.CmClient;
import io.rdma4j.cm.gsi.CmDatagram;
import io.rdma4j.uverbs.abi.CommandAttribute;
import io.rdma4j.uverbs.abi.CommandType;
import io.rdma4j.uverbs.abi.Message;
import io.rdma4j.verbs.values.AddressVector;
import io.rdma4j.verbs.values.GlobalRoute;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.List;
import java.util.Objects;

/** Executes the commands of a client's communication manager. */
final class CmCommands {
    private final SessionObjects objects;
    private boolean isOpen;

    private CmCommands(SessionObjects objects) {
        this.objects = objects;
    }

    static void addTo(CommandTable table, SessionObjects objects) {
        CmCommands commands = new CmCommands(objects);
        table.add(CommandType.OPEN_CM, commands::open);
        table.add(CommandType.LISTEN_CM, commands::listen);
        table.add(CommandType.END_LISTEN_CM, commands::endListen);
        table.add(CommandType.BIND_CM_PORT, commands::bindPort);
        table.add(CommandType.RELEASE_CM_PORT, commands::releasePort);
        table.add(CommandType.SEND_CM, commands::send);
        table.add(CommandType.RECEIVE_CM, commands::receive);
        table.add(CommandType.CLOSE_CM, commands::close);
    }

    private void open(Message request, Message answer) {
        if (isOpen) {
            throw new RdmaException(Errno.EBUSY, "a context has one communication manager: open another context");
        }
        long number = request.getLong(CommandAttribute.USER_HANDLE);
        SessionEvents events = objects.events();
        ServedCm cm = new ServedCm(
                objects.context().device(),
                () -> events.tell(new Message(CommandType.CM_EVENT).putLong(CommandAttribute.USER_HANDLE, number)));
        isOpen = true;
        CmClient channel = cm.channel();
        objects.add(answer, cm)
                .put(CommandAttribute.CM_FIRST_ID, channel.ids().first())
                .put(CommandAttribute.CM_ID_BITS, channel.ids().bits())
                .put(CommandAttribute.INDEX, channel.agent());
    }

    private void close(Message request, Message answer) {
        objects.find(request, ServedCm.class);
        objects.destroy(request, List.of(ServedCm.class));
        isOpen = false;
    }

    private CmClient channel(Message request) {
        return objects.find(request, ServedCm.class).channel();
    }

    private void listen(Message request, Message answer) {
        long mask = request.getLong(CommandAttribute.SERVICE_MASK);
        channel(request).listen(request.getLong(CommandAttribute.SERVICE_ID) & mask, mask);
    }

    private void endListen(Message request, Message answer) {
        channel(request)
                .endListen(
                        request.getLong(CommandAttribute.SERVICE_ID), request.getLong(CommandAttribute.SERVICE_MASK));
    }

    private void bindPort(Message request, Message answer) {
        channel(request)
                .bindPort(
                        request.getLong(CommandAttribute.SERVICE_ID),
                        address(request),
                        request.get(CommandAttribute.REUSE_ADDRESS) != 0);
    }

    private void releasePort(Message request, Message answer) {
        channel(request).releasePort(request.getLong(CommandAttribute.SERVICE_ID), address(request));
    }

    static Gid address(Message request) {
        byte[] bytes = request.getBytes(CommandAttribute.GID);
        if (bytes.length != Gid.BYTES) {
            throw new RdmaException(Errno.EINVAL, "an address of " + bytes.length + " bytes: a GID has " + Gid.BYTES);
        }
        return Gid.ofBytes(bytes);
    }

    private void send(Message request, Message answer) {
        AddressVector vector = request.getRecord(CommandAttribute.ADDRESS_VECTOR, AddressVector.class);
        GlobalRoute route = vector.route();
        if (route != null && Objects.isNull(route.destination())) {
            throw new RdmaException(Errno.EINVAL, "a global route without destination");
        }
        CmAddress destination = new CmAddress(vector, request.get(CommandAttribute.QP_PKEY_INDEX));
        objects.find(request, ServedCm.class)
                .send(MemorySegment.ofArray(request.getBytes(CommandAttribute.DATA)), destination);
    }

    private void receive(Message request, Message answer) {
        CmDatagram next = objects.find(request, ServedCm.class).receive();
        if (next != null) {
            answer.putRecord(CommandAttribute.ADDRESS_VECTOR, next.source().addressVector())
                    .put(CommandAttribute.QP_PKEY_INDEX, next.source().pkeyIndex())
                    .putBytes(CommandAttribute.DATA, next.mad().toArray(ValueLayout.JAVA_BYTE));
        }
    }
}
