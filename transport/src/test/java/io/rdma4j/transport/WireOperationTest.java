// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.transport;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdma4j.testing.ledger.Covers;
import io.rdma4j.transport.common.WireOperation;
import io.rdma4j.verbs.values.QpState;
import io.rdma4j.verbs.values.QpType;
import io.rdma4j.verbs.wr.WcOpcode;
import io.rdma4j.verbs.wr.WrOpcode;
import io.rdma4j.wire.TransportClass;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.StringJoiner;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Which packets requests become, and as what they complete. */
class WireOperationTest {
    private static final TransportClass[] SERVICES = {
        TransportClass.RC, TransportClass.UC, TransportClass.UD, TransportClass.XRC
    };

    /**
     * The opcode of the whole message in one packet, then those of its first, middle and last packet; RC, UC, UD, XRC.
     */
    private static final String PACKETS = """
            SEND 04 00 01 02 | 24 20 21 22 | 64 | a4 a0 a1 a2
            SEND_WITH_IMM 05 00 01 03 | 25 20 21 23 | 65 | a5 a0 a1 a3
            SEND_WITH_INV 17 00 01 16 | - | - | b7 a0 a1 b6
            RDMA_WRITE 0a 06 07 08 | 2a 26 27 28 | - | aa a6 a7 a8
            RDMA_WRITE_WITH_IMM 0b 06 07 09 | 2b 26 27 29 | - | ab a6 a7 a9
            RDMA_READ 0c | - | - | ac
            RDMA_READ_WITH_INV 0c | - | - | ac
            ATOMIC_CMP_AND_SWP 13 | - | - | b3
            ATOMIC_FETCH_AND_ADD 14 | - | - | b4
            MASKED_ATOMIC_CMP_AND_SWP d3 | - | - | f3
            MASKED_ATOMIC_FETCH_AND_ADD d4 | - | - | f4
            FLUSH 1c | - | - | -
            ATOMIC_WRITE 1d | - | - | -
            TSO - | - | 64 | -
            """;

    @Test
    @Covers("RXE-101")
    void everyRequestBecomesThePacketsOfItsService() {
        StringBuilder table = new StringBuilder();
        for (WireOperation operation : WireOperation.values()) {
            if (!operation.isLocal()) {
                StringJoiner services = new StringJoiner(" | ");
                for (TransportClass service : SERVICES) {
                    services.add(packets(operation, service));
                }
                table.append(operation.request()).append(' ').append(services).append('\n');
            }
        }
        assertThat(table.toString()).isEqualTo(PACKETS);
    }

    private static String packets(WireOperation operation, TransportClass service) {
        if (!operation.isServedBy(service)) {
            return "-";
        }
        List<String> packets = new ArrayList<>();
        packets.add(code(operation, service, true, true));
        if (!operation.hasOwnResponse() && service != TransportClass.UD) {
            packets.add(code(operation, service, true, false));
            packets.add(code(operation, service, false, false));
            packets.add(code(operation, service, false, true));
        }
        return String.join(" ", packets);
    }

    private static String code(WireOperation operation, TransportClass service, boolean starts, boolean ends) {
        return String.format(
                Locale.ROOT, "%02x", operation.opcode(service, starts, ends).code());
    }

    @ParameterizedTest
    @CsvSource({
        "UC, RDMA_READ",
        "UC, ATOMIC_FETCH_AND_ADD",
        "UC, SEND_WITH_INV",
        "UC, MASKED_ATOMIC_FETCH_AND_ADD",
        "UD, RDMA_WRITE",
        "UD, SEND_WITH_INV",
        "RC, TSO"
    })
    @Covers("RXE-101")
    void whatTheServiceHasNotIsAnOperationError(QpType type, WrOpcode opcode) {
        try (EnginePair pair = new EnginePair(new PairSettings().rdma(4).type(type))) {
            pair.a.send(1);
            RingForgery.sendOpcode(pair.a.sendQueue, 0, opcode.code());
            pair.settle();
            assertThat(pair.a.sendResults()).containsExactly("1 LOC_QP_OP_ERR");
            assertThat(pair.network.sent()).isEmpty();
        }
    }

    @ParameterizedTest
    @CsvSource({
        "RDMA_WRITE, RDMA_WRITE",
        "RDMA_WRITE_WITH_IMM, RDMA_WRITE",
        "SEND, SEND",
        "SEND_WITH_IMM, SEND",
        "SEND_WITH_INV, SEND",
        "RDMA_READ, RDMA_READ",
        "RDMA_READ_WITH_INV, RDMA_READ",
        "ATOMIC_CMP_AND_SWP, COMP_SWAP",
        "ATOMIC_FETCH_AND_ADD, FETCH_ADD",
        "MASKED_ATOMIC_CMP_AND_SWP, MASKED_COMP_SWAP",
        "MASKED_ATOMIC_FETCH_AND_ADD, MASKED_FETCH_ADD",
        "TSO, TSO",
        "LOCAL_INV, LOCAL_INV",
        "REG_MR, REG_MR",
        "BIND_MW, BIND_MW",
        "FLUSH, FLUSH",
        "ATOMIC_WRITE, ATOMIC_WRITE"
    })
    @Covers("RXE-229")
    void everyRequestCompletesAsOneOfItsKind(WrOpcode request, WcOpcode completion) {
        try (EnginePair pair = EnginePair.rdma()) {
            pair.a.modify(QpState.ERR);
            pair.a.send(1);
            RingForgery.sendOpcode(pair.a.sendQueue, 0, request.code());
            pair.settle();
            assertThat(pair.a.sendCompletions()).singleElement().satisfies(done -> {
                assertThat(done.brief()).isEqualTo("1 WR_FLUSH_ERR");
                assertThat(done.opcode()).isEqualTo(completion);
            });
        }
    }
}
