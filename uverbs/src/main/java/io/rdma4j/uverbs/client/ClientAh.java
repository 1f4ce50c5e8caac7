package io.rdma4j.uverbs.client;

import io.rdma4j.uverbs.abi.Attribute;
import io.rdma4j.uverbs.abi.Command;
import io.rdma4j.uverbs.abi.Message;
import io.rdma4j.verbs.AddressVector;
import io.rdma4j.verbs.spi.AhOps;

/**
 * An address handle that the server has made.
 *
 * @param object what commands name it by
 * @param handle what work requests name it by
 */
record ClientAh(ClientContext context, int object, int handle) implements AhOps {
    @Override
    public void modify(AddressVector vector) {
        context.call(new Message(Command.MODIFY_AH)
                .put(Attribute.HANDLE, object)
                .putRecord(Attribute.ADDRESS_VECTOR, vector));
    }

    @Override
    public void close() {
        context.destroy(Command.DESTROY_AH, object);
    }
}
