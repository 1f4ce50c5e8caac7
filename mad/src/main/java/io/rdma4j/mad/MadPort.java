// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.mad;

import io.rdma4j.base.Deadline;
import io.rdma4j.base.RdmaException;
import io.rdma4j.verbs.values.QpType;
import io.rdma4j.verbs.wr.WcStatus;
import io.rdma4j.wire.mad.ClassPortInfo;
import io.rdma4j.wire.mad.Mad;
import io.rdma4j.wire.mad.MadCheck;
import io.rdma4j.wire.mad.MadClass;
import io.rdma4j.wire.mad.MadMethod;
import io.rdma4j.wire.mad.MadStatus;
import io.rdma4j.wire.mad.Rmpp;
import io.rdma4j.wire.mad.table.MadAttribute;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;
import org.jspecify.annotations.Nullable;

/**
 * The MAD layer of one queue pair for general services or subnet management. It does no I/O: its driver reports
 * received datagrams, completions of sends and the time, and calls {@link #runHandlers} afterwards.
 *
 * <p>Any thread. The thread that calls {@link #runHandlers} runs the clients' handlers, without a lock.
 */
public final class MadPort {
    private static final int MAX_AGENT_NUMBER = (1 << 24) - 1;
    private static final Set<Integer> WITH_RESPONSE = Set.of(
            MadMethod.GET.code(),
            MadMethod.SET.code(),
            MadMethod.REPORT.code(),
            MadMethod.GET_TABLE.code(),
            MadMethod.GET_TRACE_TABLE.code(),
            MadMethod.GET_MULTI.code(),
            MadMethod.DELETE.code());

    private final DatagramOutput output;
    private final QpType qpType;
    private final SplittableRandom random;
    private final PortParts parts;
    private final AgentTable<MadAgent> table = new AgentTable<>();
    private final Map<Integer, MadAgent> agents = new HashMap<>();

    /** Redirected classes and the ClassPortInfo of their place. */
    private final Map<Integer, MemorySegment> redirected = new HashMap<>();

    private int lastNumber;

    /**
     * Creates the layer without agents.
     *
     * @param output the send queue
     * @param qpType GSI, or SMI for subnet management
     * @param seed of the first transaction IDs, so that other hosts cannot guess them
     */
    public MadPort(DatagramOutput output, QpType qpType, long seed) {
        this.output = output;
        this.qpType = qpType;
        this.random = new SplittableRandom(seed);
        MadCounters counters = new MadCounters();
        HandlerQueue handlers = new HandlerQueue(counters);
        SnoopList snoops = new SnoopList(handlers, counters);
        this.parts = new PortParts(
                new DatagramPosts(output, counters, snoops), handlers, counters, new RedirectTable(), snoops);
    }

    // Clients

    /**
     * Registers an agent. Corresponds to {@code ib_register_mad_agent}.
     *
     * @param setup its attributes
     * @return the agent; the caller closes it
     * @throws RdmaException EPROTONOSUPPORT if the agent is for the other queue pair; EINVAL if the setup is incomplete
     *     or out of range, a method is registered by another agent, or for a ninth OUI of a class
     */
    public MadAgent register(MadAgentSetup setup) {
        return register(setup, () -> {});
    }

    /**
     * As {@link #register(MadAgentSetup)}.
     *
     * @param setup its attributes
     * @param onClose called once when the agent has been closed, by the closing thread and without a lock
     * @return the agent; the caller closes it
     * @throws RdmaException as {@link #register(MadAgentSetup)}
     */
    public MadAgent register(MadAgentSetup setup, Runnable onClose) {
        AgentRules.check(setup, qpType);
        synchronized (this) {
            MadRegistration registration = setup.registration();
            if (registration != null) {
                table.check(registration);
            }
            MadAgent agent = new MadAgent(
                    this, nextNumber(), random.nextInt(), setup, parts, output::wakeup, this::remove, onClose);
            agents.put(agent.number(), agent);
            if (registration != null) {
                table.add(registration, agent);
            }
            return agent;
        }
    }

    private int nextNumber() {
        do {
            lastNumber = lastNumber == MAX_AGENT_NUMBER ? 1 : lastNumber + 1;
        } while (agents.containsKey(lastNumber));
        return lastNumber;
    }

    private void remove(MadAgent agent) {
        agents.remove(agent.number());
        table.remove(agent);
    }

    /**
     * Registers an observer of all datagrams. Corresponds to {@code ib_register_mad_snoop}.
     *
     * @param events what it sees
     * @param snooper receives copies; loses some if it is too slow
     * @return the registration; the caller closes it
     */
    public MadSnoop snoop(Set<MadSnoopEvent> events, MadSnooper snooper) {
        return parts.snoops().add(events, snooper);
    }

    /**
     * Redirects a class: requests are answered with status 0x0002 and the place at which the class is served. Agents of
     * the class do not get them any more.
     *
     * @param mgmtClass 8 bits
     * @param classPortInfo a {@link ClassPortInfo} with the place; copied
     */
    public synchronized void redirect(int mgmtClass, MemorySegment classPortInfo) {
        byte[] copy = classPortInfo.asSlice(0, ClassPortInfo.LAYOUT.bytes()).toArray(ValueLayout.JAVA_BYTE);
        redirected.put(mgmtClass, MemorySegment.ofArray(copy));
    }

    /**
     * Ends a redirection of a class. Idempotent.
     *
     * @param mgmtClass 8 bits
     */
    public synchronized void endRedirect(int mgmtClass) {
        redirected.remove(mgmtClass);
    }

    /** Forgets the places to which other ports have redirected classes. */
    public synchronized void forgetRedirects() {
        parts.redirects().clear();
    }

    /** {@return the counters} */
    public MadCounters counters() {
        return parts.counters();
    }

    // The driver

    /**
     * Takes a received datagram.
     *
     * @param datagram its memory; read only during the call
     * @param length bytes of the datagram, without route header
     * @param from the sender
     * @param nowNs the time
     */
    public synchronized void received(MemorySegment datagram, int length, MadAddress from, long nowNs) {
        parts.counters().count(MadCounter.RECEIVED);
        MadCounter fault = fault(datagram, length);
        if (fault != null) {
            parts.counters().count(fault);
            return;
        }
        MemorySegment mad = datagram.asSlice(0, Mad.BYTES);
        parts.snoops().saw(MadSnoopEvent.RECEIVED, from, mad);
        boolean isResponse = Mad.isResponse(mad, 0);
        if (!isResponse && answerRedirect(mad, from)) {
            return;
        }
        long transactionId = Mad.TRANSACTION_ID.get(mad, 0);
        MadAgent agent = isResponse ? agents.get((int) (transactionId >>> Integer.SIZE)) : table.find(mad);
        if (agent != null) {
            agent.received(mad, from, nowNs);
        } else if (isResponse) {
            parts.counters().count(MadCounter.UNMATCHED_RESPONSE);
        } else {
            unhandled(mad, from);
        }
    }

    private @Nullable MadCounter fault(MemorySegment datagram, int length) {
        MadCheck check = length == Mad.BYTES ? Mad.check(datagram, 0, length) : MadCheck.TOO_SHORT;
        if (check != MadCheck.OK) {
            return check == MadCheck.TOO_SHORT ? MadCounter.BAD_LENGTH : MadCounter.BAD_VERSION;
        }
        int mgmtClass = Mad.MGMT_CLASS.getInt(datagram, 0);
        if (MadFormat.isSubnetManagement(mgmtClass) != (qpType == QpType.SMI)) {
            return MadCounter.WRONG_QUEUE_PAIR;
        }
        boolean isCmMessage = mgmtClass == MadClass.COM_MGT.code()
                && Mad.ATTRIBUTE_ID.getInt(datagram, 0) != MadAttribute.CLASS_PORT_INFO.attributeId();
        return isCmMessage && Mad.METHOD.getInt(datagram, 0) != MadMethod.SEND.code() ? MadCounter.BAD_CM_METHOD : null;
    }

    /**
     * Answers a Get or Set, which has a response in every class; those of subnet management are for the port's agent.
     */
    private void unhandled(MemorySegment mad, MadAddress from) {
        int method = Mad.METHOD.getInt(mad, 0);
        boolean hasResponse = method == MadMethod.GET.code() || method == MadMethod.SET.code();
        if (!hasResponse || qpType == QpType.SMI) {
            parts.counters().count(MadCounter.NO_AGENT);
            return;
        }
        parts.counters().count(MadCounter.UNSUPPORTED);
        MemorySegment answer = MemorySegment.ofArray(mad.toArray(ValueLayout.JAVA_BYTE));
        Mad.METHOD.put(answer, 0, MadMethod.GET.responseCode());
        Mad.STATUS.put(answer, 0, MadStatus.BAD_METHOD_ATTRIBUTE);
        parts.posts().reply(from, answer);
    }

    private boolean answerRedirect(MemorySegment mad, MadAddress from) {
        int mgmtClass = Mad.MGMT_CLASS.getInt(mad, 0);
        MemorySegment classPortInfo = redirected.get(mgmtClass);
        int method = Mad.METHOD.getInt(mad, 0);
        if (classPortInfo == null || !WITH_RESPONSE.contains(method)) {
            return false;
        }
        if (MadFormat.isRmpp(mad) && !Rmpp.isFirst(mad, Rmpp.OFFSET)) {
            parts.counters().count(MadCounter.RMPP_OUT_OF_WINDOW);
            return true;
        }
        parts.counters().count(MadCounter.REDIRECTS_SENT);
        int dataOffset = MadFormat.dataOffset(mgmtClass);
        MemorySegment answer = MemorySegment.ofArray(new byte[Mad.BYTES]);
        MemorySegment.copy(mad, 0, answer, 0, dataOffset);
        Mad.METHOD.put(
                answer, 0, method == MadMethod.SET.code() ? MadMethod.GET.responseCode() : method | MadMethod.RESPONSE);
        Mad.STATUS.put(answer, 0, MadStatus.REDIRECT);
        if (MadFormat.hasRmpp(mgmtClass)) {
            answer.asSlice(Rmpp.OFFSET, Rmpp.BYTES).fill((byte) 0);
        }
        MemorySegment.copy(classPortInfo, 0, answer, dataOffset, ClassPortInfo.LAYOUT.bytes());
        parts.posts().reply(from, answer);
        return true;
    }

    /**
     * Takes the completion of a datagram.
     *
     * @param handle of {@link DatagramOutput#post}
     * @param status SUCCESS if it was sent
     * @param nowNs the time
     */
    public synchronized void sendCompleted(long handle, WcStatus status, long nowNs) {
        parts.posts().completed(handle, status, nowNs);
    }

    /**
     * Handles what is due.
     *
     * @param nowNs the time
     * @return the time of the next call, or {@link Deadline#NEVER}; a later call of any method may make it earlier
     */
    public synchronized long advance(long nowNs) {
        long nextNs = Deadline.NEVER;
        for (MadAgent agent : agents.values()) {
            nextNs = Deadline.earlier(nextNs, agent.advance(nowNs));
        }
        return nextNs;
    }

    /** Runs the clients' handlers that wait, unless another thread runs them now. */
    public void runHandlers() {
        parts.handlers().run();
    }

    /** {@return true if {@link #runHandlers} would run a handler} */
    public boolean hasHandlersToRun() {
        return !parts.handlers().isEmpty();
    }
}
