// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.mad.gsi;

import io.rdma4j.base.RdmaException;
import io.rdma4j.mad.MadAgent;
import io.rdma4j.mad.MadAgentSetup;
import io.rdma4j.mad.MadPort;
import io.rdma4j.verbs.wr.WorkCompletion;

/**
 * An ordinary queue pair to which a class was redirected, see {@link GeneralServices#redirect}. It has agents of its
 * own. The application polls the queue pair's completions and hands each to {@link #processMad}; timers and handlers
 * are those of the port. Any thread.
 */
public final class RedirectedQp implements AutoCloseable {
    private final int mgmtClass;
    private final GsiPort port;
    private final MadQp qp;
    private final TimedWork timers;

    RedirectedQp(int mgmtClass, GsiPort port, MadQp qp) {
        this.mgmtClass = mgmtClass;
        this.port = port;
        this.qp = qp;
        this.timers = this::advance;
        port.add(timers);
    }

    private long advance(long nowNs) {
        qp.reportFailed(nowNs);
        long nextNs = qp.mad().advance(nowNs);
        qp.mad().runHandlers();
        return qp.mad().hasHandlersToRun() ? nowNs : nextNs;
    }

    /**
     * Registers an agent at the queue pair. Corresponds to {@code ib_redirect_mad_qp}.
     *
     * @param setup its attributes
     * @return the agent; the caller closes it before this object
     * @throws RdmaException as {@link MadPort#register}
     */
    public MadAgent register(MadAgentSetup setup) {
        return port.register(qp.mad(), setup);
    }

    /** {@return the MAD layer of the queue pair} */
    public MadPort mad() {
        return qp.mad();
    }

    /**
     * Takes a completion of the queue pair, of a send or of a receive, and posts its buffer again. Handlers run on the
     * thread that drives the port. One thread at a time. Corresponds to {@code ib_process_mad_wc}.
     *
     * @param completion polled by the application
     * @param nowNs the time
     */
    public void processMad(WorkCompletion completion, long nowNs) {
        qp.process(completion, nowNs);
        port.wakeup();
    }

    /** Ends the redirection and frees the buffers; the queue pair must be closed or in RESET or ERR. */
    @Override
    public void close() {
        port.mad().endRedirect(mgmtClass);
        port.remove(timers);
        qp.close();
    }
}
