// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.tools.pingpong;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.rdma4j.tools.peer.DeviceChoice;
import io.rdma4j.tools.peer.ToolFailure;
import io.rdma4j.verbs.Device;
import io.rdma4j.verbs.Rdma;
import io.rdma4j.verbs.wr.CompletionCursor;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The peer of a ping-pong ends or stops responding: the ping-pong ends with an error in limited time. */
@Timeout(120)
class DyingPeerTest {
    private static final PingPongProgram PROGRAM = new RcPingPong();
    private static final long STALL_NS = TimeUnit.MILLISECONDS.toNanos(300);
    private static final String GONE = "Failed status transport retry counter exceeded (12) for wr_id 2";

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void aPeerThatDiesBetweenItsAcknowledgementAndItsAnswerIsNoticed(boolean events) throws Exception {
        try (PingPongContext here = open(events)) {
            PingPongLoop pingPong = new PingPongLoop(here, PROGRAM, options(events), STALL_NS);
            pingPong.prepare();
            PingPongContext peer = open(false);
            connect(here, peer);
            Thread death = Thread.ofPlatform().daemon().start(() -> {
                awaitMessage(peer);
                closeUnchecked(peer);
            });
            assertThatThrownBy(() -> pingPong.run(true)).hasMessageStartingWith(GONE);
            death.join();
        }
    }

    @Test
    void aPeerThatIsThereButSilentIsNoticed() throws Exception {
        try (PingPongContext here = open(false);
                PingPongContext peer = open(false)) {
            PingPongLoop pingPong = new PingPongLoop(here, PROGRAM, options(false), STALL_NS);
            pingPong.prepare();
            connect(here, peer);
            assertThatThrownBy(() -> pingPong.run(true))
                    .isInstanceOf(ToolFailure.class)
                    .hasMessage("The peer is there but has not answered for 0.3 seconds");
        }
    }

    private static void closeUnchecked(PingPongContext context) {
        try {
            context.close();
        } catch (ToolFailure e) {
            throw new IllegalStateException(e);
        }
    }

    private static PingPongOptions options(boolean events) {
        return PingPongOptionsTest.parse(PROGRAM, events ? new String[] {"-e"} : new String[0]);
    }

    /** Both ends use the same device, whose packets to itself stay in the JVM. */
    private static PingPongContext open(boolean events) throws ToolFailure {
        Device device = DeviceChoice.find(Rdma::host, "rxe_lo");
        return PingPongContext.open(device, PROGRAM, options(events));
    }

    private static void connect(PingPongContext here, PingPongContext peer) throws ToolFailure {
        new PingPongLoop(peer, PROGRAM, options(false), STALL_NS).prepare();
        here.connect(peer.localAddresses());
        peer.connect(here.localAddresses());
    }

    private static void awaitMessage(PingPongContext context) {
        boolean received = false;
        while (!received) {
            try (CompletionCursor completion = context.cq().startPoll()) {
                received = completion.next();
            }
        }
    }
}
