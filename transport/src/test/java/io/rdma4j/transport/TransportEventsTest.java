// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.transport;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdma4j.testing.ledger.Covers;
import io.rdma4j.verbs.values.QpState;
import io.rdma4j.wire.Opcode;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.Function;
import jdk.jfr.Recording;
import jdk.jfr.consumer.RecordedEvent;
import jdk.jfr.consumer.RecordingFile;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What a recording sees of the state machines. */
class TransportEventsTest {
    @TempDir
    private Path directory;

    private List<String> record(String name, Function<RecordedEvent, String> line) throws IOException {
        return record(name, TransportEventsTest::doALittle, line);
    }

    private static void doALittle(EnginePair pair) {
        pair.requestToB(Opcode.RC_SEND_ONLY, PairSettings.PSN_A + 3, true, 10);
        pair.postSends(1, 300);
        pair.a.engine.pollTransmit(pair.nowNs(), 1);
        pair.network.dropAll();
        pair.b.modify(QpState.ERR);
    }

    private static void loseAMessageOnce(EnginePair pair) {
        pair.postReceives(1, 100);
        pair.postSends(1, 10);
        pair.a.engine.pollTransmit(pair.nowNs(), 1);
        pair.network.dropAll();
        pair.run();
    }

    private List<String> record(String name, Consumer<EnginePair> work, Function<RecordedEvent, String> line)
            throws IOException {
        Path file = directory.resolve("trace.jfr");
        try (Recording recording = new Recording();
                EnginePair pair = EnginePair.connected()) {
            recording.enable(name);
            recording.start();
            work.accept(pair);
            recording.stop();
            recording.dump(file);
        }
        return RecordingFile.readAllEvents(file).stream()
                .filter(event -> event.getString("netdev").equals("test" + event.getInt("qpn")))
                .map(line)
                .toList();
    }

    @Test
    @Covers({"RXE-165", "TOOL-23"})
    void everyChangeOfStateIsThere() throws IOException {
        assertThat(record(
                        "rdma4j.QueuePairState",
                        event -> event.getInt("qpn") + " " + event.getString("from") + " " + event.getString("to")))
                .containsExactly(EnginePair.QPN_B + " RTS ERR");
    }

    @Test
    @Covers({"RXE-165", "TOOL-23"})
    void everyStepThatEndsTheWayOfAPacketIsThere() throws IOException {
        assertThat(record(
                        "rdma4j.Ladder",
                        event -> event.getInt("qpn") + " " + event.getInt("psn") + " " + event.getString("step") + " "
                                + event.getString("result")))
                .containsExactly(
                        EnginePair.QPN_B + " " + (PairSettings.PSN_A + 3) + " ResponderStep.PLACE SEQUENCE_ERROR");
    }

    @Test
    @Covers({"TOOL-22", "ENUM-9"})
    void everyRequestThatIsBegunIsThere() throws IOException {
        assertThat(record(
                        "rdma4j.SendRequest",
                        event -> event.getInt("qpn") + " " + event.getString("opcode") + " " + event.getLong("length")))
                .containsExactly(EnginePair.QPN_A + " send 300");
    }

    @Test
    void aTimeoutAndWhatIsSentAgainAreThere() throws IOException {
        assertThat(record(
                        "rdma4j.Retransmission",
                        TransportEventsTest::loseAMessageOnce,
                        event -> event.getInt("qpn") + " " + event.getInt("psn") + " " + event.getString("cause")))
                .containsExactly(EnginePair.QPN_A + " " + PairSettings.PSN_A + " timeout");
    }

    @Test
    void bothSidesOfAnRnrNakAreThere() throws IOException {
        assertThat(record(
                        "rdma4j.RnrNak",
                        pair -> {
                            pair.postSends(1, 10);
                            pair.settle();
                        },
                        event -> event.getInt("qpn") + " " + event.getString("direction")))
                .contains(EnginePair.QPN_B + " sent", EnginePair.QPN_A + " received");
    }

    @Test
    void anErrorInACompletionIsThere() throws IOException {
        assertThat(record(
                        "rdma4j.CompletionError",
                        pair -> {
                            pair.postSends(1, 10);
                            pair.a.modify(QpState.ERR);
                            pair.run();
                        },
                        event -> event.getInt("qpn") + " " + event.getString("status")))
                .containsExactly(EnginePair.QPN_A + " WR_FLUSH_ERR");
    }

    @Test
    void aDroppedPacketIsThere() throws IOException {
        assertThat(record(
                        "rdma4j.PacketDrop",
                        pair -> {
                            pair.b.modify(QpState.ERR);
                            pair.requestToB(Opcode.RC_SEND_ONLY, PairSettings.PSN_A, true, 10);
                        },
                        event -> event.getInt("qpn") + " " + event.getInt("psn") + " " + event.getString("reason")))
                .containsExactly(EnginePair.QPN_B + " " + PairSettings.PSN_A + " first packet");
    }

    @Test
    void nobodyIsToldWhoDidNotAsk() throws IOException {
        assertThat(record("rdma4j.NoSuchEvent", RecordedEvent::toString)).isEmpty();
    }
}
