// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.uverbs.client;

import io.rdma4j.uverbs.abi.CommandAttribute;
import io.rdma4j.uverbs.abi.CommandType;
import io.rdma4j.uverbs.abi.Message;
import io.rdma4j.verbs.spi.AhOps;
import io.rdma4j.verbs.values.AddressVector;

/**
 * An address handle on the server.
 *
 * @param object handle in commands
 * @param handle number in work requests
 */
record ClientAh(ClientSession session, int object, int handle) implements AhOps {
    @Override
    public void modify(AddressVector vector) {
        session.call(new Message(CommandType.MODIFY_AH)
                .put(CommandAttribute.HANDLE, object)
                .putRecord(CommandAttribute.ADDRESS_VECTOR, vector));
    }

    @Override
    public void close() {
        session.destroy(CommandType.DESTROY_AH, object);
    }
}
