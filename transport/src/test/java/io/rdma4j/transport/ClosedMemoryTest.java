// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.transport;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdma4j.transport.ScriptedNetwork.Mode;
import io.rdma4j.verbs.values.AccessFlag;
import io.rdma4j.verbs.values.QpState;
import java.lang.foreign.Arena;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** An application closes the arena of memory that is registered and in use: its own mistake, and nobody else's. */
class ClosedMemoryTest {
    private static TestRegion region(Endpoint endpoint, Arena arena, int bytes) {
        return endpoint.region(arena, bytes, endpoint.protectionDomain, AccessFlag.LOCAL_WRITE.bit());
    }

    @ParameterizedTest
    @EnumSource(Mode.class)
    void sendFromClosedMemoryIsAProtectionError(Mode mode) {
        try (EnginePair pair = new EnginePair(new PairSettings().mode(mode))) {
            Arena arena = Arena.ofShared();
            pair.a.send(1, region(pair.a, arena, 100).first(100));
            arena.close();
            pair.settle();
            assertThat(pair.a.sendResults()).containsExactly("1 LOC_PROT_ERR");
        }
    }

    @ParameterizedTest
    @EnumSource(Mode.class)
    void receiveIntoClosedMemoryIsAProtectionError(Mode mode) {
        try (EnginePair pair = new EnginePair(new PairSettings().mode(mode))) {
            Arena arena = Arena.ofShared();
            pair.b.receive(1, region(pair.b, arena, 100).first(100));
            arena.close();
            pair.postSends(1, 100);
            pair.settle();
            assertThat(pair.b.receiveResults()).containsExactly("1 LOC_PROT_ERR");
            assertThat(pair.a.sendResults()).containsExactly("0 REM_OP_ERR");
        }
    }

    @Test
    void memoryClosedWhileATrainIsUnderWayFailsItsSenderAndNotItsReceiver() {
        try (EnginePair pair = EnginePair.connected()) {
            TestRegion target = pair.b.region(5000);
            pair.b.receive(1, target.piece(0, 1500), target.piece(1500, 3500));
            pair.b.receive(2);
            Arena arena = Arena.ofShared();
            TestRegion whole = pair.a.region(2000);
            pair.a.send(3, whole.first(2000), region(pair.a, arena, 3000).first(3000));
            pair.transmit();
            arena.close();
            pair.settle();
            assertThat(pair.b.state()).isEqualTo(QpState.RTS);
            assertThat(pair.b.receiveResults()).isEmpty();
            assertThat(pair.b.counters().droppedPackets).isEqualTo(1);
            pair.run();
            assertThat(pair.a.sendResults()).containsExactly("3 LOC_PROT_ERR");
        }
    }

    @Test
    void memoryClosedWhileTheAnswerToAReadIsUnderWayIsAnAnswerThatIsLostAndNoProtectionError() {
        try (EnginePair pair = EnginePair.rdma()) {
            Arena arena = Arena.ofShared();
            TestRegion source = pair.b.region(arena, 5000, pair.b.protectionDomain, Endpoint.ALL_RIGHTS);
            pair.a.read(1, source.first(0), pair.a.region(5000).first(5000));
            pair.transmit();
            pair.deliver();
            pair.transmit();
            arena.close();
            pair.settle();
            assertThat(pair.a.sendResults()).isEmpty();
            pair.run();
            assertThat(pair.a.sendResults()).containsExactly("1 RETRY_EXC_ERR");
        }
    }

    @Test
    void trainThatWasDroppedForThatIsTakenWhenItComesAgain() {
        try (EnginePair pair = EnginePair.connected()) {
            TestRegion target = pair.b.region(5000);
            pair.b.receive(1, target.piece(0, 1500), target.piece(1500, 3500));
            Arena arena = Arena.ofShared();
            TestRegion first = pair.a.region(2000).filled(1);
            TestRegion second = region(pair.a, arena, 3000).filled(2);
            TestRegion again = pair.a.region(3000).filled(2);
            pair.a.send(3, first.first(2000), second.first(3000));
            pair.transmit();
            arena.close();
            pair.deliver();
            // What a sender would have to do is done here by hand: the same message from other memory.
            pair.a.modify(QpState.RESET);
            pair.a.init();
            pair.a.readyToReceive(EnginePair.QPN_B, PairSettings.PSN_B);
            pair.a.readyToSend(PairSettings.PSN_A);
            pair.a.send(4, first.first(2000), again.first(3000));
            pair.settle();
            assertThat(pair.b.receiveResults()).containsExactly("1 SUCCESS");
            assertThat(target.bytes(0, 2000)).isEqualTo(first.bytes(0, 2000));
            assertThat(target.bytes(2000, 3000)).isEqualTo(again.bytes(0, 3000));
        }
    }
}
