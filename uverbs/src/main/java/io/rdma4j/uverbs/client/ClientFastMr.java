// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.uverbs.client;

import io.rdma4j.uverbs.abi.CommandAttribute;
import io.rdma4j.uverbs.abi.CommandType;
import io.rdma4j.uverbs.abi.Message;
import io.rdma4j.verbs.spi.FastMrOps;
import java.lang.foreign.MemorySegment;
import java.util.List;

/**
 * A fast region on the server, which is registered by a work request.
 *
 * @param object handle in commands
 * @param handle number in work requests
 */
record ClientFastMr(ClientSession session, int object, int handle, int key) implements FastMrOps {
    @Override
    public void map(List<MemorySegment> pieces) {
        session.call(
                ClientMemory.put(new Message(CommandType.MAP_FAST_MR).put(CommandAttribute.HANDLE, object), pieces));
    }

    @Override
    public void close() {
        session.destroy(CommandType.DEALLOC_FAST_MR, object);
    }
}
