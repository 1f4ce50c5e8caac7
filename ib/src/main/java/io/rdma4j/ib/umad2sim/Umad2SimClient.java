// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.ib.umad2sim;

import io.rdma4j.base.Deadline;
import io.rdma4j.ib.NodeAgents;
import io.rdma4j.wire.mad.Mad;
import io.rdma4j.wire.mad.MadClass;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.HashMap;
import java.util.Map;

/** A program that is attached to a node. For the owner of the loop. */
final class Umad2SimClient {
    private static final int OUI_OF_IBPING = 0x001405;
    private static final int IBPING = 0x32;
    private static final int OUI_AT = 37;
    private static final int MAX_SILENCE = 3;
    private static final long LOWER_WORD = 0xFFFF_FFFFL;
    private static final int SERVER_BITS = 48;

    /** What sends a message to the program. */
    interface Output {
        /** @param message 288 bytes, copied during the call */
        void send(MemorySegment message);
    }

    final int number;
    final NodeAgents node;
    private final Output output;

    /** The program answers requests from the start, of the classes that a server such as ibping has. */
    private final boolean isResponder;

    /** The program has opened the file by which a subnet manager announces itself. */
    private boolean isManager;

    /** Transaction ids of requests to the program, and the times by which an answer is due. */
    private final Map<Long, ForwardedRequest> forwarded = new HashMap<>();

    private int silence;

    /** @param transactionId of the requester */
    private record ForwardedRequest(long transactionId, long deadlineNs) {}

    Umad2SimClient(int number, NodeAgents node, boolean isResponder, Output output) {
        this.number = number;
        this.node = node;
        this.isResponder = isResponder;
        this.output = output;
    }

    /** The preload library sets IsSM for a responder as well, which has no agent for a manager. */
    boolean isManager() {
        return isManager && !isResponder;
    }

    void manager(boolean isThere) {
        isManager = isThere;
    }

    void send(MemorySegment message) {
        output.send(message);
    }

    /** A request of a class for which the program has no agent would end it. */
    boolean takesRequest(MemorySegment mad) {
        int mgmtClass = Mad.MGMT_CLASS.getInt(mad, 0);
        if (isManager()) {
            MadClass known = MadClass.of(mgmtClass);
            return known != null && (known.isManagement() || known == MadClass.SUBN_ADM);
        }
        return isResponder && mgmtClass == IBPING && oui(mad) == OUI_OF_IBPING;
    }

    private static int oui(MemorySegment mad) {
        int value = 0;
        for (int i = 0; i < 3; i++) {
            value = value << Byte.SIZE | Byte.toUnsignedInt(mad.get(ValueLayout.JAVA_BYTE, OUI_AT + (long) i));
        }
        return value;
    }

    // Requests to the program

    void requestSent(long transactionId, long deadlineNs) {
        forwarded.put(key(transactionId), new ForwardedRequest(transactionId, deadlineNs));
    }

    /** The library writes bits 32 to 47 of the transaction id; the requester wants its own ones back. */
    long answered(long transactionId) {
        silence = 0;
        ForwardedRequest request = forwarded.remove(key(transactionId));
        return request == null ? transactionId : request.transactionId();
    }

    private static long key(long transactionId) {
        return transactionId >>> SERVER_BITS << SERVER_BITS | transactionId & LOWER_WORD;
    }

    /** Returns true if the program has left too many requests unanswered. */
    boolean isSilent(long nowNs) {
        int before = forwarded.size();
        forwarded.values().removeIf(request -> Deadline.isDue(request.deadlineNs(), nowNs));
        silence += before - forwarded.size();
        return silence >= MAX_SILENCE;
    }

    /** Returns the time at which the next answer is due. */
    long nextNs() {
        long next = Deadline.NEVER;
        for (ForwardedRequest request : forwarded.values()) {
            next = Deadline.earlier(next, request.deadlineNs());
        }
        return next;
    }
}
