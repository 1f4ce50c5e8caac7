// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.uverbs.server;

import io.rdma4j.mad.MadRegistration;
import io.rdma4j.uverbs.abi.CommandAttribute;
import io.rdma4j.uverbs.abi.CommandType;
import io.rdma4j.uverbs.abi.Message;
import java.lang.foreign.MemorySegment;
import java.util.HashSet;
import java.util.Set;

/** Executes the commands of files of {@code ib_umad}. */
final class UmadCommands {
    private final SessionObjects objects;

    private UmadCommands(SessionObjects objects) {
        this.objects = objects;
    }

    static void addTo(CommandTable table, SessionObjects objects) {
        UmadCommands commands = new UmadCommands(objects);
        table.add(CommandType.OPEN_UMAD, commands::open);
        table.add(CommandType.REGISTER_UMAD_AGENT, commands::register);
        table.add(CommandType.UNREGISTER_UMAD_AGENT, commands::unregister);
        table.add(CommandType.WRITE_UMAD, commands::write);
        table.add(CommandType.READ_UMAD, commands::read);
        table.addDestroy(CommandType.CLOSE_UMAD, ServedUmad.class);
    }

    private void open(Message request, Message answer) {
        long number = request.getLong(CommandAttribute.USER_HANDLE);
        SessionEvents events = objects.events();
        ServedUmad umad = new ServedUmad(
                objects.context(),
                request.get(CommandAttribute.PORT),
                () -> events.tell(new Message(CommandType.UMAD_EVENT).putLong(CommandAttribute.USER_HANDLE, number)));
        objects.add(answer, umad);
    }

    private void register(Message request, Message answer) {
        int mgmtClass = request.get(CommandAttribute.MGMT_CLASS);
        MadRegistration registration = mgmtClass == 0
                ? null
                : new MadRegistration(
                        mgmtClass,
                        request.get(CommandAttribute.CLASS_VERSION),
                        request.get(CommandAttribute.OUI),
                        methods(request.getBytes(CommandAttribute.METHODS)));
        int id = objects.find(request, ServedUmad.class)
                .file()
                .register(request.get(CommandAttribute.QPN), registration, request.get(CommandAttribute.RMPP_VERSION));
        answer.put(CommandAttribute.INDEX, id);
    }

    private static Set<Integer> methods(byte[] codes) {
        Set<Integer> methods = new HashSet<>();
        for (byte code : codes) {
            methods.add(code & 0xFF);
        }
        return methods;
    }

    private void unregister(Message request, Message answer) {
        objects.find(request, ServedUmad.class).file().unregister(request.get(CommandAttribute.INDEX));
    }

    private void write(Message request, Message answer) {
        objects.find(request, ServedUmad.class)
                .write(
                        request.getLong(CommandAttribute.OFFSET),
                        request.getLong(CommandAttribute.SIZE),
                        request.getBytes(CommandAttribute.DATA));
    }

    private void read(Message request, Message answer) {
        long offset = request.getLong(CommandAttribute.OFFSET);
        MemorySegment message = objects.find(request, ServedUmad.class).reading(offset);
        answer.putLong(CommandAttribute.SIZE, message.byteSize())
                .putBytes(CommandAttribute.DATA, ServedUmad.part(message, offset));
    }
}
