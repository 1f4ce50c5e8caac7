package io.rdma4j.uverbs.server;

import io.rdma4j.uverbs.abi.Attribute;
import io.rdma4j.uverbs.abi.Command;
import io.rdma4j.uverbs.abi.Message;
import io.rdma4j.verbs.AddressHandle;
import io.rdma4j.verbs.AddressVector;
import io.rdma4j.verbs.ProtectionDomain;

/** Commands of address handles. */
final class AhCommands {
    private final SessionObjects objects;

    private AhCommands(SessionObjects objects) {
        this.objects = objects;
    }

    static void addTo(CommandHandlers table, SessionObjects objects) {
        AhCommands commands = new AhCommands(objects);
        table.add(Command.CREATE_AH, commands::create);
        table.add(Command.MODIFY_AH, commands::modify);
        table.addDestroy(Command.DESTROY_AH, AddressHandle.class);
    }

    private void create(Message request, Message answer) {
        ProtectionDomain pd = objects.find(request, Attribute.PD, ProtectionDomain.class);
        AddressHandle made = pd.createAddressHandle(vector(request));
        objects.add(answer, made).put(Attribute.AH_NUMBER, made.handle());
    }

    private void modify(Message request, Message answer) {
        objects.find(request, AddressHandle.class).modify(vector(request));
    }

    private static AddressVector vector(Message request) {
        return request.getRecord(Attribute.ADDRESS_VECTOR, AddressVector.class);
    }
}
