// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.sm.sweep;

import io.rdma4j.base.Deadline;
import io.rdma4j.sm.SubnetOptions;
import io.rdma4j.sm.topology.SmPort;
import io.rdma4j.wire.ib.Lid;
import io.rdma4j.wire.mad.Mad;
import io.rdma4j.wire.mad.MadClass;
import io.rdma4j.wire.mad.MadMethod;
import io.rdma4j.wire.mad.MadStatus;
import io.rdma4j.wire.mad.sm.SmInfo;
import io.rdma4j.wire.mad.sm.Smp;
import io.rdma4j.wire.mad.table.MadAttribute;
import java.lang.foreign.MemorySegment;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The requests of a manager along directed routes: a limited number is outstanding, and lost ones are repeated. */
final class SmpRequests {
    private static final int WINDOW = 16;

    /** Takes the response to a request. */
    interface Answer {
        /** @param mad valid during the call; null if there was no response */
        void arrived(@Nullable MemorySegment mad);
    }

    private static final class Pending {
        final MemorySegment mad;
        final Answer answer;
        long deadlineNs;
        int tries;

        Pending(MemorySegment mad, Answer answer) {
            this.mad = mad;
            this.answer = answer;
        }
    }

    private final SmpOutput output;
    private final SubnetOptions options;
    private final Map<Long, Pending> outstanding = new LinkedHashMap<>();
    private final Deque<Pending> waiting = new ArrayDeque<>();
    private long transactionId;
    private long sent;
    private long nowNs;

    /** @param seed upper half of the transaction ids */
    SmpRequests(SmpOutput output, SubnetOptions options, int seed) {
        this.output = output;
        this.options = options;
        this.transactionId = (long) seed << Integer.SIZE;
    }

    boolean areDone() {
        return outstanding.isEmpty() && waiting.isEmpty();
    }

    /** Number of datagrams sent, repetitions included. */
    long sent() {
        return sent;
    }

    void now(long ns) {
        nowNs = ns;
    }

    long nextNs() {
        long next = Deadline.NEVER;
        for (Pending pending : outstanding.values()) {
            next = Deadline.earlier(next, pending.deadlineNs);
        }
        return next;
    }

    void get(int[] path, MadAttribute attribute, int modifier, Answer answer) {
        send(request(MadMethod.GET, path, attribute, modifier), answer);
    }

    /** Asks for SMInfo, with the key of this manager. */
    void getManager(int[] path, Answer answer) {
        MemorySegment mad = request(MadMethod.GET, path, MadAttribute.SM_INFO, 0);
        SmInfo.SM_KEY.put(mad, Smp.DATA, options.smKey());
        send(mad, answer);
    }

    /** Returns an id for a datagram without response. */
    long newTransactionId() {
        return ++transactionId;
    }

    /** True for a response that grants its request. */
    static boolean isGood(@Nullable MemorySegment mad) {
        return mad != null && (Mad.STATUS.getInt(mad, 0) & ~MadStatus.DIRECTION) == MadStatus.SUCCESS;
    }

    /**
     * Returns a Set with the M_Key that the node has, whose attribute the caller writes behind {@link Smp#DATA}, and
     * then {@link #send}s.
     */
    MemorySegment set(SmPort at, MadAttribute attribute, int modifier) {
        MemorySegment mad = request(MadMethod.SET, at.path, attribute, modifier);
        Smp.M_KEY.put(mad, 0, at.managementKey());
        return mad;
    }

    /** Returns a Set of SMInfo, whose attribute the caller writes. */
    MemorySegment setManager(int[] path, int command) {
        return request(MadMethod.SET, path, MadAttribute.SM_INFO, command);
    }

    private MemorySegment request(MadMethod method, int[] path, MadAttribute attribute, int modifier) {
        MemorySegment mad = MemorySegment.ofArray(new byte[Mad.BYTES]);
        Mad.write(mad, 0, MadClass.SUBN_DIRECTED_ROUTE, method.code(), attribute.attributeId(), ++transactionId);
        Mad.ATTRIBUTE_MODIFIER.put(mad, 0, modifier);
        Smp.M_KEY.put(mad, 0, options.managementKey().key());
        Smp.DR_SLID.put(mad, 0, Lid.PERMISSIVE);
        Smp.DR_DLID.put(mad, 0, Lid.PERMISSIVE);
        Smp.HOP_COUNT.put(mad, 0, path.length);
        for (int i = 0; i < path.length; i++) {
            Smp.INITIAL_PATH.elements().get(i + 1).put(mad, 0, path[i]);
        }
        return mad;
    }

    void send(MemorySegment mad, Answer answer) {
        waiting.add(new Pending(mad, answer));
        fill();
    }

    private void fill() {
        while (outstanding.size() < WINDOW && !waiting.isEmpty()) {
            Pending next = waiting.remove();
            outstanding.put(Mad.TRANSACTION_ID.get(next.mad, 0), next);
            transmit(next);
        }
    }

    private void transmit(Pending pending) {
        pending.tries++;
        pending.deadlineNs = Deadline.after(nowNs, options.responseNs());
        sent++;
        output.send(pending.mad, Lid.PERMISSIVE);
    }

    /** Takes a response; false if no request waits for it. */
    boolean receive(MemorySegment memory, long offset) {
        Pending pending = outstanding.remove(Mad.TRANSACTION_ID.get(memory, offset));
        if (pending == null) {
            return false;
        }
        pending.answer.arrived(memory.asSlice(offset, Mad.BYTES));
        fill();
        return true;
    }

    /** Repeats or gives up the requests whose time is over. */
    void expire() {
        List<Map.Entry<Long, Pending>> late = new ArrayList<>();
        for (Map.Entry<Long, Pending> entry : outstanding.entrySet()) {
            if (Deadline.isDue(entry.getValue().deadlineNs, nowNs)) {
                late.add(Map.entry(entry.getKey(), entry.getValue()));
            }
        }
        for (Map.Entry<Long, Pending> entry : late) {
            Pending pending = entry.getValue();
            if (pending.tries < options.tries()) {
                transmit(pending);
            } else {
                outstanding.remove(entry.getKey());
                pending.answer.arrived(null);
            }
        }
        fill();
    }
}
