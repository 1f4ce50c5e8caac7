// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.uverbs.client;

import io.rdma4j.uverbs.abi.CommandType;
import io.rdma4j.verbs.spi.MwOps;

/**
 * A memory window on the server.
 *
 * @param object handle in commands
 * @param handle number in work requests
 */
record ClientMw(ClientSession session, int object, int handle, int rkey) implements MwOps {
    @Override
    public void close() {
        session.destroy(CommandType.DEALLOC_MW, object);
    }
}
