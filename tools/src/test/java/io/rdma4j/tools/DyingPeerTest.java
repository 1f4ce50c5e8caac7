package io.rdma4j.tools;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.rdma4j.testing.ledger.Covers;
import io.rdma4j.verbs.CompletionCursor;
import io.rdma4j.verbs.Device;
import io.rdma4j.verbs.Rdma;
import java.io.PrintWriter;
import java.io.Writer;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A ping-pong whose other end dies, or falls silent: it ends with an error, and never waits for ever. */
@Timeout(120)
class DyingPeerTest {
    private static final long STALL_NS = TimeUnit.MILLISECONDS.toNanos(300);
    private static final String GONE = "Failed status transport retry counter exceeded (12) for wr_id 2";

    @ParameterizedTest
    @ValueSource(strings = {"-c", "-e", "-t"})
    @Covers("TOOL-15")
    void theClientEndsWithARetryErrorWhenTheServersProcessIsKilled(String option) throws Exception {
        int port = ToolThread.freePort();
        String endless = Integer.toString(Integer.MAX_VALUE);
        PrintWriter nowhere = new PrintWriter(Writer.nullWriter());
        try (ToolProcess server = ToolProcess.tool(
                "server",
                nowhere,
                List.of("ibv_rc_pingpong", "--device", "rxe0=udp:lo", "-p", "" + port, option, "-n", endless))) {
            assertThat(server.awaitLine("local address:", TimeUnit.SECONDS.toNanos(60)))
                    .isPresent();
            ToolThread client = ToolThread.pingPong(port, option, "-n", endless, "localhost");
            client.awaitOutput("remote address:");
            assertThat(server.awaitExit(TimeUnit.MILLISECONDS.toNanos(300))).isEmpty();
            server.kill();
            assertThat(client.exitCode()).isEqualTo(1);
            assertThat(client.err()).first().isEqualTo(GONE);
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void aPeerThatDiesBetweenItsAcknowledgementAndItsAnswerIsNoticed(boolean events) throws Exception {
        try (PingPongContext here = open(events)) {
            RcPingPong pingPong = new RcPingPong(here, options(events), STALL_NS);
            pingPong.prepare();
            PingPongContext peer = open(false);
            connect(here, peer);
            Thread death = Thread.ofPlatform().daemon().start(() -> {
                awaitMessage(peer);
                peer.close();
            });
            assertThatThrownBy(() -> pingPong.run(true)).hasMessageStartingWith(GONE);
            death.join();
        }
    }

    @Test
    void aPeerThatIsThereButSilentIsNoticed() throws Exception {
        try (PingPongContext here = open(false);
                PingPongContext peer = open(false)) {
            RcPingPong pingPong = new RcPingPong(here, options(false), STALL_NS);
            pingPong.prepare();
            connect(here, peer);
            assertThatThrownBy(() -> pingPong.run(true))
                    .isInstanceOf(PingPongFailure.class)
                    .hasMessage("The peer is there but has not answered for 0.3 seconds");
        }
    }

    private static PingPongOptions options(boolean events) {
        return PingPongOptions.of(
                new OptionTable(PingPongOptions.table()).parse(events ? new String[] {"-e"} : new String[0]));
    }

    /** Ends of the same device: its packets to itself never leave the JVM. */
    private static PingPongContext open(boolean events) throws PingPongFailure {
        Device device = DeviceChoice.find(Rdma::host, "rxe_lo");
        return PingPongContext.open(device, options(events));
    }

    private static void connect(PingPongContext here, PingPongContext peer) throws PingPongFailure {
        new RcPingPong(peer, options(false), STALL_NS).prepare();
        here.connect(peer.localAddress());
        peer.connect(here.localAddress());
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
