package io.rdma4j.interop.suite;

import io.rdma4j.interop.peer.Completion;
import io.rdma4j.interop.peer.Side;
import io.rdma4j.verbs.QpState;
import io.rdma4j.verbs.WcStatus;
import io.rdma4j.verbs.WrOpcode;
import java.io.IOException;

/** SEND, WRITE, READ and fetch-and-add under way at once, round by round; in the end each has happened exactly once. */
final class MixedRounds {
    private static final int ROUNDS = 25;
    private static final int LENGTH = 20_000;

    // Where things lie in the memory of both.
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
    private Pair pair;

    /** Additions on this connection. */
    private int added;

    /**
     * Connects the two.
     *
     * @param lostThread what Linux as requester may do on this network, and nobody else
     */
    MixedRounds(Stage stage, Direction direction, LostThread lostThread) throws IOException {
        this.stage = stage;
        this.direction = direction;
        this.lostThread = lostThread;
        this.pair = connect();
    }

    private Pair connect() throws IOException {
        added = 0;
        Pair connected = Pair.usual(stage, direction, "RC");
        connected.responder().fill(READ, LENGTH, 7);
        connected.responder().set(COUNTER, 0);
        return connected;
    }

    /**
     * Plays all rounds.
     *
     * @return what is worth telling; may be empty
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
        Pair.require(
                last.id() == ADD_ID && last.status() == WcStatus.SUCCESS,
                requester,
                "request " + ADD_ID + " to end with SUCCESS",
                last);
        pair.requireEqual(READ, READ, LENGTH);
        Pair.require(requester.get(COUNTER) == added, requester, "the answer " + added, requester.get(COUNTER));
        added++;
        Side responder = pair.responder();
        Pair.require(responder.get(COUNTER) == added, responder, added + " additions", responder.get(COUNTER));
    }

    /** The requester gave up of itself: nothing was refused, and the last addition has happened once at most. */
    private void requireNoRefusal() throws IOException {
        Side responder = pair.responder();
        QpState state = responder.state();
        Pair.require(state == QpState.RTS, responder, "a queue pair that works", state);
        long counter = responder.get(COUNTER);
        Pair.require(counter == added || counter == added + 1, responder, added + " additions, or one more", counter);
    }
}
