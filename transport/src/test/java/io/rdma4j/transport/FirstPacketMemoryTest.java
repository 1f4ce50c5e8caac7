// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.transport;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.management.ThreadMXBean;
import io.rdma4j.packet.SkBuff;
import io.rdma4j.verbs.values.QpState;
import io.rdma4j.verbs.values.QpType;
import io.rdma4j.wire.Opcode;
import java.lang.management.ManagementFactory;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Memory that the first packet makes an idle queue pair take: none if it is forged, and nothing for requests of its
 * own.
 */
class FirstPacketMemoryTest {
    private static final int DEPTH = 16_383;

    /**
     * What a queue pair that serves requests may take, bytes; a table with a place for each send request takes more.
     */
    private static final long MOST = 16 << 10;

    private static EnginePair idle(QpType type) {
        return new EnginePair(new PairSettings().type(type).queueEntries(DEPTH).rdma(4));
    }

    /** Bytes that a packet to B makes this thread allocate. */
    private static long bytes(EnginePair pair, Opcode opcode, int psn) {
        // Classes are loaded, and constants made, for another queue pair.
        try (EnginePair other = idle(pair.settings.type)) {
            receive(other, opcode, psn);
        }
        return receive(pair, opcode, psn);
    }

    private static long receive(EnginePair pair, Opcode opcode, int psn) {
        SkBuff skb = pair.packet(opcode, psn, true, EnginePair.QPN_B, 0);
        ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
        long before = threads.getCurrentThreadAllocatedBytes();
        pair.b.receive(skb, pair.nowNs());
        long after = threads.getCurrentThreadAllocatedBytes();
        skb.free();
        return after - before;
    }

    @ParameterizedTest
    @CsvSource({
        "RC_SEND_ONLY, 99",
        "RC_SEND_ONLY, 5000",
        "RC_SEND_ONLY, 8388700",
        "RC_ACKNOWLEDGE, 100",
    })
    void aForgedPacketTakesNoMemory(Opcode opcode, int psn) {
        try (EnginePair pair = idle(QpType.RC)) {
            assertThat(bytes(pair, opcode, psn)).isLessThan(200);
            assertThat(pair.b.counters().droppedPackets).isEqualTo(1);
            assertThat(pair.b.state()).isEqualTo(QpState.RTS);
            pair.transmit();
            assertThat(pair.network.sent()).isEmpty();
        }
    }

    @Test
    void aFirstRequestMakesNoTablesForSendRequests() {
        try (EnginePair pair = idle(QpType.RC)) {
            assertThat(bytes(pair, Opcode.RC_SEND_ONLY, 100)).isBetween(200L, MOST);
        }
    }

    @Test
    void aDatagramWithAForeignQueueKeyTakesNoMemory() {
        try (EnginePair pair = idle(QpType.UD)) {
            assertThat(bytes(pair, Opcode.UD_SEND_ONLY, 100)).isLessThan(200);
            assertThat(pair.b.counters().qkeyViolations).isEqualTo(1);
        }
    }

    @Test
    void aFirstMessageWhoseFirstPacketsWereLostIsAskedForAgain() {
        try (EnginePair pair = new EnginePair(new PairSettings().mode(ScriptedNetwork.Mode.CUT))) {
            pair.postReceives(1, 10_000);
            pair.network.lose(
                    parcel -> parcel.psn < 105 && pair.network.responses().isEmpty());
            pair.postSends(1, 10_000);
            pair.settle();
            assertThat(pair.network.responses().getFirst()).hasToString("NAK PSN sequence error 100");
            pair.network.loseNothing();
            pair.run();
            assertThat(pair.a.sendResults()).containsExactly("0 SUCCESS");
        }
    }
}
