// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.interop.suite;

import io.rdma4j.interop.lab.Lab;
import io.rdma4j.interop.peer.Completion;
import io.rdma4j.interop.peer.PeerConnection;
import io.rdma4j.interop.peer.Side;
import io.rdma4j.interop.suite.Scenario.Mismatch;
import io.rdma4j.verbs.values.AccessFlag;
import io.rdma4j.verbs.wr.WcStatus;
import io.rdma4j.verbs.wr.WrOpcode;
import java.io.IOException;
import java.time.Duration;
import java.util.EnumSet;
import java.util.Set;

/**
 * Two connected sides, and common requests. Requests read from or write to the lower half of the requester's memory and
 * the upper half of the responder's memory.
 *
 * @param requester side that posts requests
 * @param responder side that serves them
 * @param pathMtu bytes
 */
record PeerPair(Side requester, Side responder, int pathMtu) {
    /** Offset of the upper half. */
    static final int TARGET = Side.BYTES / 2;

    /** The rights that the device of every kernel version supports; FLUSH_GLOBAL needs Linux 6.2. */
    static final Set<AccessFlag> ALL = Set.of(
            AccessFlag.LOCAL_WRITE,
            AccessFlag.REMOTE_WRITE,
            AccessFlag.REMOTE_READ,
            AccessFlag.REMOTE_ATOMIC,
            AccessFlag.MW_BIND);

    private static final Duration LIMIT = Duration.ofSeconds(30);

    /** Returns a connection with enough retries to survive losses. */
    static PeerPair usual(Stage stage, Direction direction, String type) throws IOException {
        return open(stage, direction, type, PeerConnection.usual(stage.setup().pathMtu()));
    }

    static PeerPair open(Stage stage, Direction direction, String type, PeerConnection connection) throws IOException {
        return open(stage, direction, type, ALL, connection);
    }

    /** The same with memory that has more rights than {@link #ALL}. */
    static PeerPair withRights(Stage stage, Direction direction, String type, Set<AccessFlag> more) throws IOException {
        Set<AccessFlag> access = EnumSet.copyOf(ALL);
        access.addAll(more);
        return open(
                stage,
                direction,
                type,
                access,
                PeerConnection.usual(stage.setup().pathMtu()));
    }

    private static PeerPair open(
            Stage stage, Direction direction, String type, Set<AccessFlag> access, PeerConnection connection)
            throws IOException {
        boolean toLinux = direction == Direction.TO_LINUX;
        Side requester = toLinux ? stage.ours() : stage.linux();
        Side responder = toLinux ? stage.linux() : stage.ours();
        requester.open(Lab.GUEST_DEVICE, type, access);
        responder.open(Lab.GUEST_DEVICE, type, access);
        responder.connect(requester, connection);
        requester.connect(responder, connection);
        return new PeerPair(requester, responder, connection.mtu());
    }

    /** Posts a request of the requester on the responder's upper half, from or to its own lower half. */
    void post(WrOpcode opcode, long id, int length) throws IOException {
        requester.post(opcode, id, 0, length, responder.address() + TARGET, responder.rkey());
    }

    /** Requires that the next completion of a side is that of a request, and successful. */
    Completion succeeds(Side side, long id) throws IOException {
        return ends(side, id, WcStatus.SUCCESS);
    }

    /** Requires that the next completion of a side is that of a request, with a status. */
    Completion ends(Side side, long id, WcStatus status) throws IOException {
        Completion completion = next(side);
        require(
                completion.status() == status && completion.id() == id,
                side,
                "request " + id + " to end with " + status,
                completion);
        return completion;
    }

    /** Returns the next completion of a side. */
    Completion next(Side side) throws IOException {
        return side.completion(LIMIT);
    }

    /** Requires that memory of the two sides is equal. */
    void requireEqual(long offsetOfRequester, long offsetOfResponder, int length) throws IOException {
        long asked = requester.crc(offsetOfRequester, length);
        long answered = responder.crc(offsetOfResponder, length);
        if (asked != answered) {
            throw new Mismatch(length + " bytes differ between " + requester.name() + " at " + offsetOfRequester
                    + " and " + responder.name() + " at " + offsetOfResponder);
        }
    }

    /** Throws an exception unless a condition is true. */
    static void require(boolean condition, Side side, String expected, Object found) {
        if (!condition) {
            throw new Mismatch("expected of " + side.name() + " " + expected + ", found " + found);
        }
    }
}
