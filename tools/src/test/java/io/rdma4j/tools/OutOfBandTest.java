package io.rdma4j.tools;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.rdma4j.base.Gid;
import io.rdma4j.testing.ledger.Covers;
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

/** The exchange over real TCP connections; one end is ours, the other speaks bytes. */
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
        Future<PingPongAddress> server = listening(listener -> listener.answerClient(SERVER, connected::add));

        assertThat(OutOfBand.askServer("localhost", port, CLIENT)).isEqualTo(SERVER);
        assertThat(connected).containsExactly(CLIENT);
        assertThat(server.get()).isEqualTo(CLIENT);
    }

    @Test
    void theServerIsReachedByIpv4AndIpv6() throws Exception {
        Future<PingPongAddress> server = listening(listener -> listener.answerClient(SERVER, _ -> {}));
        assertThat(OutOfBand.askServer("127.0.0.1", port, CLIENT)).isEqualTo(SERVER);
        server.get();

        Future<PingPongAddress> again = listening(listener -> listener.answerClient(SERVER, _ -> {}));
        assertThat(OutOfBand.askServer(InetAddress.ofLiteral("::1").getHostAddress(), port, CLIENT))
                .isEqualTo(SERVER);
        again.get();
    }

    @Test
    void theServersBytesAreThoseOfTheOriginal() throws Exception {
        Future<PingPongAddress> server = listening(listener -> listener.answerClient(SERVER, _ -> {}));
        try (Socket client = new Socket("localhost", port)) {
            client.getOutputStream().write(CLIENT.encode());
            assertThat(client.getInputStream().readNBytes(PingPongAddress.MESSAGE_BYTES))
                    .isEqualTo(SERVER.encode());
            client.getOutputStream().write(DONE);
        }
        assertThat(server.get()).isEqualTo(CLIENT);
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
            OutOfBand.askServer("localhost", port, CLIENT);
            assertThat(received.get()).isEqualTo(DONE);
        }
    }

    @Test
    void nobodyListens() {
        assertThatThrownBy(() -> OutOfBand.askServer("localhost", port, CLIENT))
                .isInstanceOf(PingPongFailure.class)
                .hasMessage("Couldn't connect to localhost:" + port);
    }

    @Test
    void theHostIsUnknown() {
        assertThatThrownBy(() -> OutOfBand.askServer("no-such-host.invalid", port, CLIENT))
                .hasMessage("Name or service not known for no-such-host.invalid:" + port);
    }

    @Test
    void thePortIsTaken() throws IOException {
        try (ServerSocket _ = new ServerSocket(port)) {
            assertThatThrownBy(() -> OutOfBand.listen(port)).hasMessage("Couldn't listen to port " + port);
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
        Future<PingPongAddress> server = listening(listener -> listener.answerClient(SERVER, _ -> {
            throw new AssertionError("there is nobody to connect to");
        }));
        send(sent.getBytes(StandardCharsets.US_ASCII));
        assertThatThrownBy(server::get)
                .isInstanceOf(ExecutionException.class)
                .cause()
                .isInstanceOf(PingPongFailure.class)
                .hasMessage(message);
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "done", "DONE\0"})
    void aClientThatDoesNotConfirmIsReported(String confirmation) throws Exception {
        Future<PingPongAddress> server = listening(listener -> listener.answerClient(SERVER, _ -> {}));
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
            assertThatThrownBy(() -> OutOfBand.askServer("localhost", port, CLIENT))
                    .hasMessage("Couldn't read/write remote address");
            server.get();
        }
    }

    @Test
    void aQueuePairThatDoesNotConnectIsReportedOnTheServer() throws Exception {
        Future<PingPongAddress> server = listening(listener -> listener.answerClient(SERVER, _ -> {
            throw new PingPongFailure("Failed to modify QP to RTR");
        }));
        assertThatThrownBy(() -> OutOfBand.askServer("localhost", port, CLIENT))
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

    /** Listens now, and serves in another thread. */
    private Future<PingPongAddress> listening(Server server) throws PingPongFailure {
        OutOfBand.Listener listener = OutOfBand.listen(port);
        Callable<PingPongAddress> work = () -> {
            try (listener) {
                return server.serve(listener);
            }
        };
        return peer.submit(work);
    }

    private interface Server {
        PingPongAddress serve(OutOfBand.Listener listener) throws Exception;
    }
}
