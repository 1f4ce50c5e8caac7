package io.rdma4j.verbs.queue;

import org.jspecify.annotations.Nullable;

/** What the client's end of a receive queue asks of what the queue belongs to. */
public interface ReceiveOwner {
    /** {@return why receives cannot be posted now, to be told to the program; null if they can} */
    @Nullable
    String receiveRefusal();

    /** The ring has new elements; called after they were published. */
    void receiveDoorbell();
}
