// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.tools.pingpong;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.rdma4j.base.Gid;
import io.rdma4j.testing.ledger.Covers;
import io.rdma4j.tools.peer.Rendezvous;
import io.rdma4j.tools.peer.ToolFailure;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The exchange over real TCP connections: one end is the tested class, the test writes the bytes of the other. */
@Timeout(30)
class OutOfBandTest {
    private static final PingPongAddress CLIENT = new PingPongAddress(0, 0x11, 0x123456, Gid.parse("127.0.0.2"));
    private static final PingPongAddress SERVER = new PingPongAddress(7, 0x12, 0xABCDEF, Gid.parse("fd00::1"));
    private static final byte[] DONE = {'d', 'o', 'n', 'e', 0};
    private static final String GARBAGE = "x".repeat(PingPongAddress.MESSAGE_BYTES);

    private final ExecutorService peer = Executors.newSingleThreadExecutor();
    private int port;

    @BeforeEach
    void chooseAPort() throws IOException {
        try (ServerSocket socket = new ServerSocket(0)) {
            port = socket.getLocalPort();
        }
    }

    @AfterEach
    void stop() {
        peer.shutdownNow();
    }

    @Test
    @Covers({"TOOL-8", "TOOL-9"})
    void bothEndsLearnTheOthersAddressAndTheServerConnectsBeforeItAnswers() throws Exception {
        List<PingPongAddress> connected = new ArrayList<>();
        Future<List<PingPongAddress>> server =
                listening(listener -> OutOfBand.answerClient(listener, List.of(SERVER), connected::addAll));

        assertThat(OutOfBand.askServer("localhost", port, List.of(CLIENT))).containsExactly(SERVER);
        assertThat(connected).containsExactly(CLIENT);
        assertThat(server.get()).containsExactly(CLIENT);
    }

    @Test
    void theServerIsReachedByIpv4AndIpv6() throws Exception {
        Future<List<PingPongAddress>> server =
                listening(listener -> OutOfBand.answerClient(listener, List.of(SERVER), _ -> {}));
        assertThat(OutOfBand.askServer("127.0.0.1", port, List.of(CLIENT))).containsExactly(SERVER);
        server.get();

        Future<List<PingPongAddress>> again =
                listening(listener -> OutOfBand.answerClient(listener, List.of(SERVER), _ -> {}));
        assertThat(OutOfBand.askServer(InetAddress.ofLiteral("::1").getHostAddress(), port, List.of(CLIENT)))
                .containsExactly(SERVER);
        again.get();
    }

    @Test
    void asManyAddressesComeBackAsWereSent() throws Exception {
        List<PingPongAddress> mine = List.of(CLIENT, CLIENT, PingPongAddress.NONE);
        List<PingPongAddress> others = List.of(SERVER, PingPongAddress.NONE, SERVER);
        Future<List<PingPongAddress>> server = listening(listener -> OutOfBand.answerClient(listener, others, _ -> {}));
        assertThat(OutOfBand.askServer("localhost", port, mine)).isEqualTo(others);
        assertThat(server.get()).isEqualTo(mine);
    }

    @Test
    void whichOfManyAddressesIsMissingIsTold() throws Exception {
        Future<List<PingPongAddress>> server =
                listening(listener -> OutOfBand.answerClient(listener, List.of(SERVER, SERVER), _ -> {}));
        send(CLIENT.encode());
        assertThatThrownBy(server::get).cause().hasMessage("0/52: Couldn't read remote address [1]");
    }

    @Test
    void theServersBytesAreThoseOfTheOriginal() throws Exception {
        Future<List<PingPongAddress>> server =
                listening(listener -> OutOfBand.answerClient(listener, List.of(SERVER), _ -> {}));
        try (Socket client = new Socket("localhost", port)) {
            client.getOutputStream().write(CLIENT.encode());
            assertThat(client.getInputStream().readNBytes(PingPongAddress.MESSAGE_BYTES))
                    .isEqualTo(SERVER.encode());
            client.getOutputStream().write(DONE);
        }
        assertThat(server.get()).containsExactly(CLIENT);
    }

    @Test
    void theClientConfirmsTheAnswer() throws Exception {
        try (ServerSocket listener = new ServerSocket(port)) {
            Future<byte[]> received = peer.submit(() -> {
                try (Socket socket = listener.accept()) {
                    socket.getInputStream().readNBytes(PingPongAddress.MESSAGE_BYTES);
                    socket.getOutputStream().write(SERVER.encode());
                    return socket.getInputStream().readAllBytes();
                }
            });
            OutOfBand.askServer("localhost", port, List.of(CLIENT));
            assertThat(received.get()).isEqualTo(DONE);
        }
    }

    @Test
    void nobodyListens() {
        assertThatThrownBy(() -> OutOfBand.askServer("localhost", port, List.of(CLIENT)))
                .isInstanceOf(ToolFailure.class)
                .hasMessage("Couldn't connect to localhost:" + port);
    }

    @Test
    void theHostIsUnknown() {
        assertThatThrownBy(() -> OutOfBand.askServer("no-such-host.invalid", port, List.of(CLIENT)))
                .hasMessage("Name or service not known for no-such-host.invalid:" + port);
    }

    @Test
    void thePortIsTaken() throws IOException {
        try (ServerSocket _ = new ServerSocket(port)) {
            assertThatThrownBy(() -> Rendezvous.listen(port)).hasMessage("Couldn't listen to port " + port);
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1, PingPongAddress.MESSAGE_BYTES - 1})
    void aClientThatHangsUpTooEarlyIsReported(int length) throws Exception {
        assertThatServerFails(GARBAGE.substring(0, length), length + "/52: Couldn't read remote address");
    }

    @Test
    void aClientThatTalksNonsenseIsReported() throws Exception {
        assertThatServerFails(GARBAGE, "52/52: Couldn't read remote address");
    }

    private void assertThatServerFails(String sent, String message) throws Exception {
        Future<List<PingPongAddress>> server =
                listening(listener -> OutOfBand.answerClient(listener, List.of(SERVER), _ -> {
                    throw new AssertionError("there is nobody to connect to");
                }));
        send(sent.getBytes(StandardCharsets.US_ASCII));
        assertThatThrownBy(server::get)
                .isInstanceOf(ExecutionException.class)
                .cause()
                .isInstanceOf(ToolFailure.class)
                .hasMessage(message);
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "done", "DONE\0"})
    void aClientThatDoesNotConfirmIsReported(String confirmation) throws Exception {
        Future<List<PingPongAddress>> server =
                listening(listener -> OutOfBand.answerClient(listener, List.of(SERVER), _ -> {}));
        send((new String(CLIENT.encode(), StandardCharsets.US_ASCII) + confirmation)
                .getBytes(StandardCharsets.US_ASCII));
        assertThatThrownBy(server::get).cause().hasMessage("Couldn't send/recv local address");
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1, PingPongAddress.MESSAGE_BYTES - 1, PingPongAddress.MESSAGE_BYTES})
    void aServerThatTalksNonsenseIsReported(int length) throws Exception {
        try (ServerSocket listener = new ServerSocket(port)) {
            Future<?> server = peer.submit(() -> {
                try (Socket socket = listener.accept()) {
                    socket.getInputStream().readNBytes(PingPongAddress.MESSAGE_BYTES);
                    socket.getOutputStream().write(GARBAGE.getBytes(StandardCharsets.US_ASCII), 0, length);
                }
                return null;
            });
            assertThatThrownBy(() -> OutOfBand.askServer("localhost", port, List.of(CLIENT)))
                    .hasMessage("Couldn't read/write remote address");
            server.get();
        }
    }

    @Test
    void aQueuePairThatDoesNotConnectIsReportedOnTheServer() throws Exception {
        Future<List<PingPongAddress>> server =
                listening(listener -> OutOfBand.answerClient(listener, List.of(SERVER), _ -> {
                    throw new ToolFailure("Failed to modify QP to RTR");
                }));
        assertThatThrownBy(() -> OutOfBand.askServer("localhost", port, List.of(CLIENT)))
                .hasMessage("Couldn't read/write remote address");
        assertThatThrownBy(server::get).cause().hasMessage("Failed to modify QP to RTR\nCouldn't connect to remote QP");
    }

    private void send(byte[] bytes) throws IOException {
        try (Socket client = new Socket("localhost", port)) {
            client.getOutputStream().write(bytes);
            client.shutdownOutput();
            client.getInputStream().readAllBytes();
        }
    }

    /** Listens, and serves in another thread. */
    private Future<List<PingPongAddress>> listening(Server server) throws ToolFailure {
        Rendezvous.Listener listener = Rendezvous.listen(port);
        Callable<List<PingPongAddress>> work = () -> {
            try (listener) {
                return server.serve(listener);
            }
        };
        return peer.submit(work);
    }

    private interface Server {
        List<PingPongAddress> serve(Rendezvous.Listener listener) throws Exception;
    }
}
