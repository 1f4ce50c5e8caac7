package io.rdma4j.uverbs.client;

import io.rdma4j.base.Cpu;
import io.rdma4j.uverbs.abi.Attribute;
import io.rdma4j.uverbs.abi.Command;
import io.rdma4j.uverbs.abi.DoorbellPage;
import io.rdma4j.uverbs.abi.Message;

/** The doorbells of a context, on a page that the server reads: a command goes only if its threads sleep. Any thread. */
final class ClientDoorbells {
    private final DoorbellPage page;
    private final Connection connection;

    /** @param answer that says where the page is */
    ClientDoorbells(Message answer, Connection connection) {
        this.page = new DoorbellPage(SharedMemory.map(answer, Attribute.OFFSET, Attribute.SIZE));
        this.connection = connection;
    }

    /**
     * There is work for the server, which wakes if it sleeps.
     *
     * @throws io.rdma4j.base.RdmaException EIO if the server is gone
     */
    void ring(int doorbell) {
        connection.check();
        page.ring(doorbell);
        if (page.takeSleepers()) {
            wake();
        }
    }

    private void wake() {
        connection.ring(new Message(Command.POST_SEND));
    }

    /** There is something that the server need not see before it looks the next time: a thread that sleeps looks after some milliseconds. */
    void mark(int doorbell) {
        page.ring(doorbell);
        if (page.isUnattended()) {
            wake();
        }
    }

    /** The calling thread has polled in vain for some time: the server and the peer may need its CPU. */
    void giveWay() {
        page.countVainPoll();
        Cpu.giveWay();
    }
}
