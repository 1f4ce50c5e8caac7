package io.rdma4j.uverbs.server;

import io.rdma4j.uverbs.abi.Message;

/** Carries out one kind of command. Answers to {@code uverbs_attr_def.handler}. */
@FunctionalInterface
interface CommandHandler {
    /**
     * Carries out the command on the session's thread.
     *
     * @param request from the client, not checked beyond the types of its attributes
     * @param answer gets the results
     * @throws io.rdma4j.base.RdmaException if the command is refused; nothing has changed then
     */
    void handle(Message request, Message answer);
}
