// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.interop.suite;

import io.rdma4j.interop.peer.PeerConnection;
import io.rdma4j.interop.peer.Side;
import io.rdma4j.verbs.values.AccessFlag;
import io.rdma4j.verbs.values.QpState;
import io.rdma4j.verbs.wr.WcStatus;
import io.rdma4j.verbs.wr.WrOpcode;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Set;

/** Requests that the responder must reject, and peers that do not respond: their completions on both sides. */
final class RejectedRequests {
    private static final Duration A_WHILE = Duration.ofMillis(300);
    private static final int LENGTH = 5000;
    private static final int TRIES = 100;

    private RejectedRequests() {}

    static List<Scenario> all() {
        return List.of(
                new Scenario("errors/bad rkey", (stage, direction) -> badKey(stage, direction)),
                new Scenario("errors/out of range", (stage, direction) -> outOfRange(stage, direction)),
                new Scenario(
                        "errors/WRITE without permission",
                        (stage, direction) -> forbidden(stage, direction, WrOpcode.RDMA_WRITE, AccessFlag.REMOTE_READ)),
                new Scenario(
                        "errors/READ without permission",
                        (stage, direction) -> forbidden(stage, direction, WrOpcode.RDMA_READ, AccessFlag.REMOTE_WRITE)),
                new Scenario("errors/receive too small", RejectedRequests::receiveTooSmall),
                new Scenario("errors/no receive, in time", RejectedRequests::receiveComesLate),
                new Scenario("errors/no receive, too long", RejectedRequests::receiveNeverComes),
                new Scenario("errors/killed peer", RejectedRequests::killedPeer));
    }

    /** A NAK, an RNR NAK, and a peer that is gone, as a quick test. */
    static List<Scenario> few() {
        Set<String> names = Set.of("errors/out of range", "errors/no receive, in time", "errors/killed peer");
        return all().stream().filter(one -> names.contains(one.name())).toList();
    }

    /** As specified: the requester gets an error completion, and both queue pairs are in ERR. */
    private static String refused(PeerPair pair, WrOpcode opcode, long remote, int rkey) throws IOException {
        pair.requester().post(opcode, 1, 0, LENGTH, remote, rkey);
        pair.requester().post(opcode, 2, 0, LENGTH, remote, rkey);
        pair.ends(pair.requester(), 1, WcStatus.REM_ACCESS_ERR);
        pair.ends(pair.requester(), 2, WcStatus.WR_FLUSH_ERR);
        requireError(pair.requester());
        requireError(pair.responder());
        return "";
    }

    /** Requires that a side is in ERR; a responder may send its NAK before it changes its state. */
    private static void requireError(Side side) throws IOException {
        QpState state = side.state();
        for (int i = 0; i < TRIES && state != QpState.ERR; i++) {
            state = side.state();
        }
        PeerPair.require(state == QpState.ERR, side, "the queue pair in error", state);
    }

    private static String badKey(Stage stage, Direction direction) throws IOException {
        for (WrOpcode opcode : new WrOpcode[] {WrOpcode.RDMA_WRITE, WrOpcode.RDMA_READ}) {
            PeerPair pair = PeerPair.usual(stage, direction, "RC");
            refused(
                    pair,
                    opcode,
                    pair.responder().address() + PeerPair.TARGET,
                    pair.responder().rkey() ^ 0x5a5a00);
        }
        return "";
    }

    private static String outOfRange(Stage stage, Direction direction) throws IOException {
        for (WrOpcode opcode : new WrOpcode[] {WrOpcode.RDMA_WRITE, WrOpcode.RDMA_READ}) {
            PeerPair pair = PeerPair.usual(stage, direction, "RC");
            refused(
                    pair,
                    opcode,
                    pair.responder().address() + Side.BYTES - LENGTH + 1,
                    pair.responder().rkey());
        }
        return "";
    }

    private static String forbidden(Stage stage, Direction direction, WrOpcode opcode, AccessFlag only)
            throws IOException {
        PeerPair pair = PeerPair.usual(stage, direction, "RC");
        Side responder = pair.responder();
        int key = responder.register(PeerPair.TARGET, LENGTH, Set.of(AccessFlag.LOCAL_WRITE, only));
        return refused(pair, opcode, responder.address() + PeerPair.TARGET, key);
    }

    /**
     * Tests a receive that is too small. The specification requires the NAK "invalid request" and a length error of the
     * receive. Linux treats its own receive as malformed and sends "remote operational error".
     */
    private static String receiveTooSmall(Stage stage, Direction direction) throws IOException {
        PeerPair pair = PeerPair.usual(stage, direction, "RC");
        boolean toLinux = direction == Direction.TO_LINUX;
        pair.responder().receive(1, PeerPair.TARGET, 100);
        pair.requester().post(WrOpcode.SEND, 1, 0, 101, "");
        pair.ends(pair.requester(), 1, toLinux ? WcStatus.REM_OP_ERR : WcStatus.REM_INV_REQ_ERR);
        pair.ends(pair.responder(), 1, toLinux ? WcStatus.LOC_QP_OP_ERR : WcStatus.LOC_LEN_ERR);
        requireError(pair.requester());
        requireError(pair.responder());
        return toLinux ? "Linux answers with 0x63, not 0x61" : "";
    }

    private static String receiveComesLate(Stage stage, Direction direction) throws IOException {
        PeerPair pair = PeerPair.usual(stage, direction, "RC");
        Side requester = pair.requester();
        requester.fill(0, LENGTH, 1);
        requester.post(WrOpcode.SEND, 1, 0, LENGTH, "");
        PeerPair.require(requester.isQuiet(A_WHILE), requester, "no completion", "one");
        pair.responder().receive(1, PeerPair.TARGET, LENGTH);
        pair.succeeds(requester, 1);
        pair.succeeds(pair.responder(), 1);
        pair.requireEqual(0, PeerPair.TARGET, LENGTH);
        return requester.counter("rcvd_rnr_err") + " RNR NAKs so far";
    }

    private static String receiveNeverComes(Stage stage, Direction direction) throws IOException {
        PeerPair pair = PeerPair.open(
                stage,
                direction,
                "RC",
                PeerConnection.withShortTimeouts(stage.setup().pathMtu()));
        pair.requester().post(WrOpcode.SEND, 1, 0, LENGTH, "");
        pair.ends(pair.requester(), 1, WcStatus.RNR_RETRY_EXC_ERR);
        requireError(pair.requester());
        return "";
    }

    private static String killedPeer(Stage stage, Direction direction) throws IOException {
        PeerPair pair = PeerPair.open(
                stage,
                direction,
                "RC",
                PeerConnection.withShortTimeouts(stage.setup().pathMtu()));
        pair.post(WrOpcode.RDMA_WRITE, 1, LENGTH);
        pair.succeeds(pair.requester(), 1);
        stage.kill(pair.responder());
        pair.post(WrOpcode.RDMA_WRITE, 2, LENGTH);
        pair.ends(pair.requester(), 2, WcStatus.RETRY_EXC_ERR);
        requireError(pair.requester());
        return "";
    }
}
