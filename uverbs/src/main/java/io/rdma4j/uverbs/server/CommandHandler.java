// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.uverbs.server;

import io.rdma4j.uverbs.abi.Message;

/** Executes one type of command. Corresponds to {@code uverbs_attr_def.handler}. */
@FunctionalInterface
interface CommandHandler {
    /**
     * Executes the command on the session's thread.
     *
     * @param request from the client; only the types of its attributes are checked
     * @param answer receives the results
     * @throws io.rdma4j.base.RdmaException if the command fails; nothing has changed then
     */
    void handle(Message request, Message answer);
}
