package io.rdma4j.interop.suite;

import io.rdma4j.interop.lab.Lab;
import io.rdma4j.interop.peer.Completion;
import io.rdma4j.interop.peer.Connection;
import io.rdma4j.interop.peer.Side;
import io.rdma4j.interop.suite.Scenario.Mismatch;
import io.rdma4j.verbs.AccessFlag;
import io.rdma4j.verbs.WcStatus;
import io.rdma4j.verbs.WrOpcode;
import java.io.IOException;
import java.time.Duration;
import java.util.Set;

/**
 * Two sides that are connected, and what is asked of them again and again. The lower half of each memory is where requests come from, the
 * upper half is where they go to.
 *
 * @param requester who asks
 * @param responder who answers
 * @param pathMtu bytes
 */
record Pair(Side requester, Side responder, int pathMtu) {
    /** Where the upper half begins. */
    static final int TARGET = Side.BYTES / 2;

    /** All rights that both devices give. */
    static final Set<AccessFlag> ALL = Set.of(
            AccessFlag.LOCAL_WRITE,
            AccessFlag.REMOTE_WRITE,
            AccessFlag.REMOTE_READ,
            AccessFlag.REMOTE_ATOMIC,
            AccessFlag.MW_BIND,
            AccessFlag.FLUSH_GLOBAL);

    private static final Duration LIMIT = Duration.ofSeconds(30);

    /** A connection that does not give up. */
    static Pair usual(Stage stage, Direction direction, String type) throws IOException {
        return open(stage, direction, type, Connection.usual(stage.setup().pathMtu()));
    }

    static Pair open(Stage stage, Direction direction, String type, Connection connection) throws IOException {
        boolean toLinux = direction == Direction.TO_LINUX;
        Side requester = toLinux ? stage.ours() : stage.linux();
        Side responder = toLinux ? stage.linux() : stage.ours();
        requester.open(Lab.GUEST_DEVICE, type, ALL);
        responder.open(Lab.GUEST_DEVICE, type, ALL);
        responder.connect(requester, connection);
        requester.connect(responder, connection);
        return new Pair(requester, responder, connection.mtu());
    }

    /** The requester asks for something that works on the responder's upper half, from or to its own lower half. */
    void post(WrOpcode opcode, long id, int length) throws IOException {
        requester.post(opcode, id, 0, length, responder.address() + TARGET, responder.rkey());
    }

    /** The next completion of a side must be that of a request, and a success. */
    Completion succeeds(Side side, long id) throws IOException {
        return ends(side, id, WcStatus.SUCCESS);
    }

    /** The next completion of a side must be that of a request, with a status. */
    Completion ends(Side side, long id, WcStatus status) throws IOException {
        Completion completion = next(side);
        require(
                completion.status() == status && completion.id() == id,
                side,
                "request " + id + " to end with " + status,
                completion);
        return completion;
    }

    /** The next completion of a side, whatever it is. */
    Completion next(Side side) throws IOException {
        return side.completion(LIMIT);
    }

    /** Requires that memory of the two is equal. */
    void requireEqual(long offsetOfRequester, long offsetOfResponder, int length) throws IOException {
        long asked = requester.crc(offsetOfRequester, length);
        long answered = responder.crc(offsetOfResponder, length);
        if (asked != answered) {
            throw new Mismatch(length + " bytes differ between " + requester.name() + " at " + offsetOfRequester
                    + " and " + responder.name() + " at " + offsetOfResponder);
        }
    }

    /** Complains unless a condition holds. */
    static void require(boolean condition, Side side, String expected, Object found) {
        if (!condition) {
            throw new Mismatch("expected of " + side.name() + " " + expected + ", found " + found);
        }
    }
}
