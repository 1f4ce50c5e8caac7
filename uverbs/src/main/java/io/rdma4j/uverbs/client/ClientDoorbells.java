// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.uverbs.client;

import io.rdma4j.base.Cpu;
import io.rdma4j.uverbs.abi.CommandAttribute;
import io.rdma4j.uverbs.abi.CommandType;
import io.rdma4j.uverbs.abi.DoorbellPage;
import io.rdma4j.uverbs.abi.Message;
import java.util.concurrent.locks.LockSupport;

/**
 * The doorbells of a context, on a page that the server polls. The client sends a command only if the server's threads
 * sleep. Any thread.
 */
final class ClientDoorbells {
    /**
     * Every so many yields the thread sleeps instead. Linux schedules the server, a session of its own, in a group
     * ({@code sched_autogroup}), and a yield serves threads of the own group only: two programs that poll on two CPUs
     * would delay each message by tens of milliseconds.
     */
    private static final int YIELDS_BEFORE_PAUSE = 64;

    private static final long PAUSE_NS = 50_000;

    private final DoorbellPage page;
    private final ServerConnection connection;

    /** Number of yields of all threads; approximate. */
    private int yields;

    /** @param answer names the file of the page */
    ClientDoorbells(Message answer, ServerConnection connection) {
        this.page = new DoorbellPage(ClientFiles.map(answer, CommandAttribute.OFFSET, CommandAttribute.SIZE));
        this.connection = connection;
    }

    /**
     * Sets a doorbell and wakes the server if its threads sleep.
     *
     * @throws io.rdma4j.base.RdmaException EIO if the server has ended
     */
    void ring(int doorbell) {
        connection.check();
        page.ring(doorbell);
        if (page.takeSleepers()) {
            wake();
        }
    }

    private void wake() {
        connection.sendUnanswered(new Message(CommandType.POST_SEND));
    }

    /**
     * Sets a doorbell without waking the server. A sleeping thread of the server polls the page after some
     * milliseconds.
     */
    void mark(int doorbell) {
        page.ring(doorbell);
        if (page.isUnattended()) {
            wake();
        }
    }

    /** Counts a failed wait and leaves the CPU to the server or the peer, which may need it. */
    void giveWay() {
        page.countVainPoll();
        if (++yields % YIELDS_BEFORE_PAUSE == 0) {
            LockSupport.parkNanos(PAUSE_NS);
        } else {
            Cpu.giveWay();
        }
    }
}
