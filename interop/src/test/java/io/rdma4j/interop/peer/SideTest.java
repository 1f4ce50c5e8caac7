// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.interop.peer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.rdma4j.base.RdmaException;
import io.rdma4j.interop.lab.Talk;
import io.rdma4j.rdmacm.PortSpace;
import io.rdma4j.verbs.values.AccessFlag;
import io.rdma4j.verbs.values.QpState;
import io.rdma4j.verbs.wr.WcStatus;
import io.rdma4j.verbs.wr.WrOpcode;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Tests commands and replies, with the rdma4j peer at both ends. */
class SideTest {
    private static final Duration LIMIT = Duration.ofSeconds(20);
    private static final int PORT = 24_791;
    private static final int HALF = Side.BYTES / 2;
    private static final Set<AccessFlag> ALL = Set.of(
            AccessFlag.LOCAL_WRITE,
            AccessFlag.REMOTE_WRITE,
            AccessFlag.REMOTE_READ,
            AccessFlag.REMOTE_ATOMIC,
            AccessFlag.MW_BIND);

    /** A peer in this thread. */
    private static final class Here implements Talk {
        private final OurPeer peer;
        private final Deque<String> answers = new ArrayDeque<>(Set.of("ready"));

        Here(String device) {
            peer = new OurPeer(device);
        }

        @Override
        public void send(String text) {
            answers.add(PeerProgram.answer(peer, text));
        }

        @Override
        public @Nullable String receive(Duration limit) {
            return answers.poll();
        }

        @Override
        public void close() {
            peer.close();
        }
    }

    @AutoClose
    private final Side left = side("127.0.0.81");

    @AutoClose
    private final Side right = side("127.0.0.82");

    private static Side side(String address) {
        try {
            return new Side(address, address, new Here("rxe0=udp:" + address + ":" + PORT));
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }

    @BeforeEach
    void connect() throws IOException {
        left.open("rxe0", "RC", ALL);
        right.open("rxe0", "RC", ALL);
        right.connect(left, PeerConnection.usual(1024));
        left.connect(right, PeerConnection.usual(1024));
    }

    @Test
    void aMessageIsToldOnBothSides() throws IOException {
        left.fill(0, 5000, 3);
        right.receive(7, HALF, 5000);
        left.post(WrOpcode.SEND_WITH_IMM, 8, 0, 5000, "imm=4000000000");
        assertThat(left.completion(LIMIT).status()).isEqualTo(WcStatus.SUCCESS);
        Completion received = right.completion(LIMIT);
        assertThat(received).isEqualTo(new Completion(WcStatus.SUCCESS, 7, 5000, (int) 4_000_000_000L));
        assertThat(right.crc(HALF, 5000)).isEqualTo(left.crc(0, 5000)).isNotEqualTo(left.crc(1, 5000));
    }

    @Test
    void atomicsWorkOnWords() throws IOException {
        right.set(HALF, -5);
        left.post(
                WrOpcode.ATOMIC_FETCH_AND_ADD,
                1,
                0,
                8,
                "compare=7 remote=" + (right.address() + HALF) + " rkey=" + Integer.toUnsignedString(right.rkey()));
        assertThat(left.completion(LIMIT).status()).isEqualTo(WcStatus.SUCCESS);
        assertThat(left.get(0)).isEqualTo(-5);
        assertThat(right.get(HALF)).isEqualTo(2);
    }

    @Test
    void aWindowShowsNoMoreThanItsPart() throws IOException {
        int key = right.bindWindow(2, 1, HALF, 100, Set.of(AccessFlag.REMOTE_WRITE));
        assertThat(right.completion(LIMIT).status()).isEqualTo(WcStatus.SUCCESS);
        left.post(WrOpcode.RDMA_WRITE, 2, 0, 100, right.address() + HALF, key);
        assertThat(left.completion(LIMIT).status()).isEqualTo(WcStatus.SUCCESS);
        left.post(WrOpcode.RDMA_WRITE, 3, 0, 100, right.address() + HALF + 1, key);
        assertThat(left.completion(LIMIT).status()).isEqualTo(WcStatus.REM_ACCESS_ERR);
        awaitError(left);
        awaitError(right);
    }

    /** The loop thread of a process writes the completion before it changes the state. */
    private static void awaitError(Side side) throws IOException {
        long endNs = System.nanoTime() + LIMIT.toNanos();
        while (side.state() != QpState.ERR) {
            assertThat(System.nanoTime() - endNs)
                    .as("time until the error state")
                    .isNegative();
        }
    }

    @Test
    void aConnectionOfRdmaCmCarriesPrivateDataAndWords() throws IOException {
        right.listen(PortSpace.TCP, 7471, 8);
        left.dial(right, PortSpace.TCP, 7471, "request");
        assertThat(right.event()).isEqualTo(new CmOutcome("CONNECT_REQUEST", "request"));
        right.accept("reply");
        assertThat(left.event()).isEqualTo(new CmOutcome("ESTABLISHED", "reply"));
        assertThat(right.event()).isEqualTo(new CmOutcome("ESTABLISHED", "-"));
        assertThat(left.say("word")).isEqualTo(WcStatus.SUCCESS);
        assertThat(right.hear()).isEqualTo("word");
        left.disconnect();
        assertThat(right.event().event()).isEqualTo("DISCONNECTED");
        right.disconnect();
        right.hangUp();
        assertThat(left.event().event()).isEqualTo("DISCONNECTED");
    }

    @Test
    void theQueuePairOfAServerOfDatagramsIsResolved() throws IOException {
        right.listen(PortSpace.UDP, 7471, 8);
        left.dial(right, PortSpace.UDP, 7471, "request");
        assertThat(right.event()).isEqualTo(new CmOutcome("CONNECT_REQUEST", "request"));
        right.accept("reply");
        assertThat(left.event()).isEqualTo(new CmOutcome("ESTABLISHED", "reply"));
    }

    @Test
    void aRejectionCarriesPrivateData() throws IOException {
        right.listen(PortSpace.TCP, 7471, 8);
        left.dial(right, PortSpace.TCP, 7471, "request");
        right.event();
        right.reject("busy");
        assertThat(left.event()).isEqualTo(new CmOutcome("REJECTED", "busy"));
    }

    @Test
    void severalRequestsWaitAtAListener() throws IOException {
        right.listen(PortSpace.TCP, 7471, 8);
        left.dial(right, PortSpace.TCP, 7471, "first");
        left.dialFurther(right, PortSpace.TCP, 7471, "second");
        for (String request : new String[] {"first", "second"}) {
            assertThat(right.event()).isEqualTo(new CmOutcome("CONNECT_REQUEST", request));
            right.reject(request);
            assertThat(left.event()).isEqualTo(new CmOutcome("REJECTED", request));
        }
    }

    @Test
    void queuePair1AnswersToTheQueuePairThatAsks() throws IOException {
        left.open("rxe0", "UD", ALL);
        right.open("rxe0", "UD", ALL);
        right.serve();
        left.connectToServices(right);
        left.set(0, Long.reverseBytes(0x0107_0201_0000_0000L)); // Get of the communication manager
        left.set(16, Long.reverseBytes(0x0001_0000_0000_0000L)); // ClassPortInfo
        left.receive(1, HALF, 40 + 256);
        left.post(WrOpcode.SEND, 2, 0, 256, "");
        assertThat(left.completion(LIMIT).id() + left.completion(LIMIT).id()).isEqualTo(1 + 2);
        assertThat(Long.reverseBytes(left.get(HALF + 40))).isEqualTo(0x0107_0281_0000_0000L);
    }

    @Test
    void whatIsRefusedIsToldWithItsErrno() {
        assertThatThrownBy(() -> left.register(0, 100, Set.of(AccessFlag.REMOTE_WRITE)))
                .isInstanceOf(RdmaException.class)
                .hasMessageContaining("region offset=0");
    }

    @Test
    void openingAgainBeginsAnew() throws IOException {
        connect();
        assertThat(left.isQuiet(Duration.ZERO)).isTrue();
        left.post(WrOpcode.RDMA_READ, 1, 0, 9, right.address(), right.rkey());
        assertThat(left.completion(LIMIT).status()).isEqualTo(WcStatus.SUCCESS);
        assertThat(left.counter("sent_pkts")).isPositive();
    }
}
