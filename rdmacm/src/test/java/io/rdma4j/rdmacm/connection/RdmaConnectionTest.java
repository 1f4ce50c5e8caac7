// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.rdmacm.connection;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.rdma4j.base.Errno;
import io.rdma4j.base.RdmaException;
import io.rdma4j.testing.ledger.Covers;
import io.rdma4j.testing.ledger.ProvedOn;
import io.rdma4j.verbs.pool.MemoryLease;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Servers and connections on two real devices. */
@ProvedOn("device")
@Timeout(120)
class RdmaConnectionTest {
    private final DeviceHosts hosts = new DeviceHosts();

    @AfterEach
    void close() {
        hosts.close();
    }

    private RdmaServer listen(String ip) {
        return RdmaServer.listen(DeviceHosts.address(ip, 0), hosts.server.options());
    }

    private RdmaConnection connect(RdmaServer server) {
        return RdmaConnection.connect(server.address(), hosts.client.options());
    }

    private static String text(MemorySegment data) {
        return new String(data.toArray(ValueLayout.JAVA_BYTE), StandardCharsets.UTF_8).trim();
    }

    private static String receive(RdmaConnection connection) throws InterruptedException {
        try (ReceivedMessage message = connection.receive()) {
            return message == null ? "end" : message.text();
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"0.0.0.0", "10.0.0.2", "fd00::2", "::"})
    @Covers("RCM-4")
    void messagesGoBothWays(String ip) throws InterruptedException {
        try (RdmaServer server = listen(ip);
                RdmaConnection client = connect(server);
                RdmaConnection peer = server.accept()) {
            assertThat(peer.peerAddress()).isEqualTo(client.localAddress());
            assertThat(client.peerAddress()).isEqualTo(peer.localAddress()).isEqualTo(server.address());
            for (int i = 0; i < 40; i++) {
                client.send("question " + i);
                assertThat(receive(peer)).isEqualTo("question " + i);
                peer.send("answer " + i);
                assertThat(receive(client)).isEqualTo("answer " + i);
            }
        }
    }

    @Test
    void anEndSeesThatTheOtherOneCloses() throws InterruptedException {
        try (RdmaServer server = listen("10.0.0.2")) {
            CompletableFuture<RdmaConnection> accepted = server.acceptAsync();
            try (RdmaConnection client = connect(server)) {
                client.send("last");
            }
            try (RdmaConnection peer = accepted.join()) {
                assertThat(receive(peer)).isEqualTo("last");
                assertThat(receive(peer)).isEqualTo("end");
                assertThat(peer.disconnected().orTimeout(30, TimeUnit.SECONDS).join())
                        .isSameAs(peer);
                assertThat(catchThrowableOfType(RdmaException.class, () -> peer.send("late"))
                                .errno())
                        .isEqualTo(Errno.EIO);
            }
        }
    }

    @Test
    void aThreadThatWaitsForAMessageSeesTheOwnEnd() throws Exception {
        try (RdmaServer server = listen("10.0.0.2");
                ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
            CompletableFuture<RdmaConnection> accepted = server.acceptAsync();
            Future<String> waiting;
            try (RdmaConnection client = connect(server)) {
                waiting = threads.submit(() -> receive(client));
                accepted.join().close();
            }
            assertThat(waiting.get()).isEqualTo("end");
        }
    }

    @Test
    void privateDataArrives() {
        ConnectionOptions welcoming = hosts.server
                .options()
                .withPrivateData(MemorySegment.ofArray("welcome".getBytes(StandardCharsets.UTF_8)));
        ConnectionOptions greeting =
                hosts.client.options().withPrivateData(MemorySegment.ofArray("hello".getBytes(StandardCharsets.UTF_8)));
        try (RdmaServer server = RdmaServer.listen(DeviceHosts.address("10.0.0.2", 0), welcoming);
                RdmaConnection client = RdmaConnection.connect(server.address(), greeting);
                RdmaConnection peer = server.accept()) {
            assertThat(text(peer.privateData())).isEqualTo("hello");
            assertThat(text(client.privateData())).isEqualTo("welcome");
        }
    }

    @Test
    void memoryOfThePeerIsReadAndWritten() throws InterruptedException {
        try (RdmaServer server = listen("10.0.0.2");
                RdmaConnection client = connect(server);
                RdmaConnection peer = server.accept();
                MemoryLease table = peer.buffer(4096);
                MemoryLease own = client.buffer(4096)) {
            table.segment().set(ValueLayout.JAVA_LONG, 8, 4711);
            RemoteMemory remote =
                    RemoteMemory.of(MemorySegment.ofArray(peer.share(table).toBytes()));
            client.read(remote, own);
            assertThat(own.segment().get(ValueLayout.JAVA_LONG, 8)).isEqualTo(4711);
            own.segment().set(ValueLayout.JAVA_LONG, 16, 42);
            client.write(own, remote);
            assertThat(table.segment().get(ValueLayout.JAVA_LONG, 16)).isEqualTo(42);
        }
    }

    @Test
    void withoutServerTheConnectionIsRefused() {
        try (RdmaServer server = listen("10.0.0.2")) {
            assertThat(catchThrowableOfType(
                                    RdmaException.class,
                                    () -> RdmaConnection.connect(
                                            DeviceHosts.address(
                                                    "10.0.0.2", server.address().getPort() - 1),
                                            hosts.client.options()))
                            .errno())
                    .isEqualTo(Errno.ECONNREFUSED);
        }
    }

    @Test
    void aPortIsTakenOnce() {
        try (RdmaServer server = listen("10.0.0.2")) {
            assertThat(catchThrowableOfType(
                                    RdmaException.class,
                                    () -> RdmaServer.listen(server.address(), hosts.server.options()))
                            .errno())
                    .isEqualTo(Errno.EADDRINUSE);
        }
    }

    @Test
    void manyVirtualThreadsConverse() throws Exception {
        try (RdmaServer server = listen("0.0.0.0");
                ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
            List<Future<String>> answers = new ArrayList<>();
            for (int i = 0; i < 30; i++) {
                int number = i;
                answers.add(threads.submit(() -> {
                    try (RdmaConnection client = connect(server)) {
                        client.send("number " + number);
                        return receive(client);
                    }
                }));
                CompletableFuture<RdmaConnection> next = server.acceptAsync();
                Future<?> _ = threads.submit(() -> {
                    try (RdmaConnection peer = next.join()) {
                        peer.send(receive(peer));
                        return receive(peer);
                    }
                });
            }
            for (int i = 0; i < answers.size(); i++) {
                assertThat(answers.get(i).get()).isEqualTo("number " + i);
            }
        }
    }
}
