// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.uverbs.server;

import io.rdma4j.uverbs.abi.CommandAttribute;
import io.rdma4j.uverbs.abi.CommandType;
import io.rdma4j.uverbs.abi.Message;
import io.rdma4j.verbs.AddressHandle;
import io.rdma4j.verbs.ProtectionDomain;
import io.rdma4j.verbs.values.AddressVector;

/** Executes the commands of address handles. */
final class AhCommands {
    private final SessionObjects objects;

    private AhCommands(SessionObjects objects) {
        this.objects = objects;
    }

    static void addTo(CommandTable table, SessionObjects objects) {
        AhCommands commands = new AhCommands(objects);
        table.add(CommandType.CREATE_AH, commands::create);
        table.add(CommandType.MODIFY_AH, commands::modify);
        table.addDestroy(CommandType.DESTROY_AH, AddressHandle.class);
    }

    private void create(Message request, Message answer) {
        ProtectionDomain pd = objects.find(request, CommandAttribute.PD, ProtectionDomain.class);
        AddressHandle made = pd.createAddressHandle(vector(request));
        objects.add(answer, made).put(CommandAttribute.AH_NUMBER, made.handle());
    }

    private void modify(Message request, Message answer) {
        objects.find(request, AddressHandle.class).modify(vector(request));
    }

    private static AddressVector vector(Message request) {
        return request.getRecord(CommandAttribute.ADDRESS_VECTOR, AddressVector.class);
    }
}
