// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.interop.suite;

import io.rdma4j.interop.peer.Completion;
import io.rdma4j.interop.peer.Side;
import io.rdma4j.verbs.values.QpState;
import io.rdma4j.verbs.wr.WcStatus;
import io.rdma4j.verbs.wr.WrOpcode;
import java.io.IOException;

/**
 * Several outstanding SENDs, WRITEs, READs and fetch-and-adds, round by round; in the end each must have been executed
 * exactly once.
 */
final class MixedRounds {
    private static final int ROUNDS = 25;
    private static final int LENGTH = 20_000;

    // Offsets in the memory of both sides.
    private static final int SENT = LENGTH;
    private static final int WRITTEN = 2 * LENGTH;
    private static final int READ = 3 * LENGTH;
    private static final int COUNTER = 4 * LENGTH;

    private static final int SEND_ID = 1;
    private static final int WRITE_ID = 2;
    private static final int READ_ID = 3;
    private static final int ADD_ID = 4;

    private final Stage stage;
    private final Direction direction;
    private final LostThread lostThread;
    private PeerPair pair;

    /** Number of fetch-and-adds on this connection. */
    private int added;

    /**
     * Connects the two sides.
     *
     * @param lostThread known error of Linux as requester, accepted on this network only
     */
    MixedRounds(Stage stage, Direction direction, LostThread lostThread) throws IOException {
        this.stage = stage;
        this.direction = direction;
        this.lostThread = lostThread;
        this.pair = connect();
    }

    private PeerPair connect() throws IOException {
        added = 0;
        PeerPair connected = PeerPair.usual(stage, direction, "RC");
        connected.responder().fill(READ, LENGTH, 7);
        connected.responder().set(COUNTER, 0);
        return connected;
    }

    /**
     * Runs all rounds.
     *
     * @return summary for the table; may be empty
     */
    String play() throws IOException {
        for (int round = 1; round <= ROUNDS; round++) {
            post(round);
            for (int id = SEND_ID; id <= READ_ID; id++) {
                pair.succeeds(pair.requester(), id);
            }
            Completion last = pair.next(pair.requester());
            pair.succeeds(pair.responder(), round);
            pair.requireEqual(0, SENT, LENGTH);
            pair.requireEqual(0, WRITTEN, LENGTH);
            if (last.status() == WcStatus.WR_FLUSH_ERR && lostThread.isSeen()) {
                requireNoRefusal();
                pair = connect();
            } else {
                requireAnswers(last);
            }
        }
        return lostThread.summary();
    }

    private void post(int round) throws IOException {
        Side requester = pair.requester();
        Side responder = pair.responder();
        requester.fill(0, LENGTH, round);
        responder.receive(round, SENT, LENGTH);
        requester.post(WrOpcode.SEND, SEND_ID, 0, LENGTH, "");
        requester.post(WrOpcode.RDMA_WRITE, WRITE_ID, 0, LENGTH, responder.address() + WRITTEN, responder.rkey());
        requester.post(WrOpcode.RDMA_READ, READ_ID, READ, LENGTH, responder.address() + READ, responder.rkey());
        requester.post(
                WrOpcode.ATOMIC_FETCH_AND_ADD,
                ADD_ID,
                COUNTER,
                Long.BYTES,
                "compare=1 swap=0 remote=" + (responder.address() + COUNTER) + " rkey="
                        + Integer.toUnsignedString(responder.rkey()));
    }

    private void requireAnswers(Completion last) throws IOException {
        Side requester = pair.requester();
        PeerPair.require(
                last.id() == ADD_ID && last.status() == WcStatus.SUCCESS,
                requester,
                "request " + ADD_ID + " to end with SUCCESS",
                last);
        pair.requireEqual(READ, READ, LENGTH);
        PeerPair.require(requester.get(COUNTER) == added, requester, "the answer " + added, requester.get(COUNTER));
        added++;
        Side responder = pair.responder();
        PeerPair.require(responder.get(COUNTER) == added, responder, added + " additions", responder.get(COUNTER));
    }

    /**
     * Checks that the requester failed by itself: the responder has rejected nothing, and the last addition was
     * executed at most once.
     */
    private void requireNoRefusal() throws IOException {
        Side responder = pair.responder();
        QpState state = responder.state();
        PeerPair.require(state == QpState.RTS, responder, "a queue pair that works", state);
        long counter = responder.get(COUNTER);
        PeerPair.require(
                counter == added || counter == added + 1, responder, added + " additions, or one more", counter);
    }
}
