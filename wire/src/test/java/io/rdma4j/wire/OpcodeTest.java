// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.wire;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.rdma4j.testing.ledger.Covers;
import java.util.Arrays;
import java.util.Locale;
import java.util.Objects;
import org.junit.jupiter.api.Test;

/** The derived table against one written by hand. */
@Covers({"RXE-113", "RXE-134"})
class OpcodeTest {
    /**
     * Code, bytes before the payload, properties, name. Properties: Q request, R response, P payload, T takes a receive
     * work request, C completes one, A requests an acknowledgement, O has its own response.
     */
    private static final String GOLDEN = """
            00 12 Q-PT---  RC SEND First
            01 12 Q-P----  RC SEND Middle
            02 12 Q-P-CA-  RC SEND Last
            03 16 Q-P-CA-  RC SEND Last Immediate
            04 12 Q-PTCA-  RC SEND Only
            05 16 Q-PTCA-  RC SEND Only Immediate
            06 28 Q-P----  RC RDMA WRITE First
            07 12 Q-P----  RC RDMA WRITE Middle
            08 12 Q-P--A-  RC RDMA WRITE Last
            09 16 Q-PTCA-  RC RDMA WRITE Last Immediate
            0a 28 Q-P--A-  RC RDMA WRITE Only
            0b 32 Q-PTCA-  RC RDMA WRITE Only Immediate
            0c 28 Q----AO  RC RDMA READ Request
            0d 16 -RP----  RC RDMA READ Response First
            0e 12 -RP----  RC RDMA READ Response Middle
            0f 16 -RP----  RC RDMA READ Response Last
            10 16 -RP----  RC RDMA READ Response Only
            11 16 -R-----  RC Acknowledge
            12 24 -R-----  RC ATOMIC Acknowledge
            13 40 Q----AO  RC Compare Swap
            14 40 Q----AO  RC Fetch Add
            16 16 Q-P-CA-  RC SEND Last Invalidate
            17 16 Q-PTCA-  RC SEND Only Invalidate
            1c 32 Q----AO  RC FLUSH
            1d 28 Q-P--AO  RC ATOMIC WRITE
            20 12 Q-PT---  UC SEND First
            21 12 Q-P----  UC SEND Middle
            22 12 Q-P-C--  UC SEND Last
            23 16 Q-P-C--  UC SEND Last Immediate
            24 12 Q-PTC--  UC SEND Only
            25 16 Q-PTC--  UC SEND Only Immediate
            26 28 Q-P----  UC RDMA WRITE First
            27 12 Q-P----  UC RDMA WRITE Middle
            28 12 Q-P----  UC RDMA WRITE Last
            29 16 Q-PTC--  UC RDMA WRITE Last Immediate
            2a 28 Q-P----  UC RDMA WRITE Only
            2b 32 Q-PTC--  UC RDMA WRITE Only Immediate
            64 20 Q-PTC--  UD SEND Only
            65 24 Q-PTC--  UD SEND Only Immediate
            81 28 -------  CNP
            a0 16 Q-PT---  XRC SEND First
            a1 16 Q-P----  XRC SEND Middle
            a2 16 Q-P-CA-  XRC SEND Last
            a3 20 Q-P-CA-  XRC SEND Last Immediate
            a4 16 Q-PTCA-  XRC SEND Only
            a5 20 Q-PTCA-  XRC SEND Only Immediate
            a6 32 Q-P----  XRC RDMA WRITE First
            a7 16 Q-P----  XRC RDMA WRITE Middle
            a8 16 Q-P--A-  XRC RDMA WRITE Last
            a9 20 Q-PTCA-  XRC RDMA WRITE Last Immediate
            aa 32 Q-P--A-  XRC RDMA WRITE Only
            ab 36 Q-PTCA-  XRC RDMA WRITE Only Immediate
            ac 32 Q----AO  XRC RDMA READ Request
            ad 16 -RP----  XRC RDMA READ Response First
            ae 12 -RP----  XRC RDMA READ Response Middle
            af 16 -RP----  XRC RDMA READ Response Last
            b0 16 -RP----  XRC RDMA READ Response Only
            b1 16 -R-----  XRC Acknowledge
            b2 24 -R-----  XRC ATOMIC Acknowledge
            b3 44 Q----AO  XRC Compare Swap
            b4 44 Q----AO  XRC Fetch Add
            b6 20 Q-P-CA-  XRC SEND Last Invalidate
            b7 20 Q-PTCA-  XRC SEND Only Invalidate
            d3 56 Q----AO  RC Masked Compare Swap
            d4 56 Q----AO  RC Masked Fetch Add
            f3 60 Q----AO  XRC Masked Compare Swap
            f4 60 Q----AO  XRC Masked Fetch Add
            """;

    @Test
    @Covers("RXE-115")
    void theTableIsTheSpecifications() {
        StringBuilder table = new StringBuilder();
        for (int code = 0; code < 256; code++) {
            Opcode opcode = Opcode.of(code);
            if (opcode != null) {
                assertThat(opcode.code()).isEqualTo(code);
                table.append(String.format(
                        Locale.ROOT,
                        "%02x %d %s  %s%n",
                        code,
                        opcode.headerBytes(),
                        properties(opcode),
                        opcode.text()));
            }
        }
        assertThat(table.toString()).isEqualTo(GOLDEN);
    }

    private static String properties(Opcode opcode) {
        return (opcode.isRequest() ? "Q" : "-")
                + (opcode.isResponse() ? "R" : "-")
                + (opcode.hasPayload() ? "P" : "-")
                + (opcode.takesReceive() ? "T" : "-")
                + (opcode.completesReceive() ? "C" : "-")
                + (opcode.isAckNeeded() ? "A" : "-")
                + (opcode.hasOwnResponse() ? "O" : "-");
    }

    @Test
    void headersLieOneBehindTheOther() {
        for (Opcode opcode : Opcode.values()) {
            int offset = 0;
            for (Header header : opcode.headers()) {
                assertThat(opcode.offsetOf(header)).isEqualTo(offset);
                assertThat(opcode.carries(header)).isTrue();
                offset += header.bytes();
            }
            assertThat(opcode.headerBytes()).isEqualTo(offset).isLessThanOrEqualTo(Opcode.MAX_HEADER_BYTES);
            long absent = Arrays.stream(Header.values())
                    .filter(h -> !opcode.carries(h))
                    .count();
            assertThat(absent + opcode.headers().size()).isEqualTo(Header.values().length);
        }
        assertThat(Opcode.MAX_HEADER_BYTES).isEqualTo(60);
    }

    @Test
    void orderOfHeadersFollowsTheSpecification() {
        assertThat(Opcode.RC_FLUSH.headers()).containsExactly(Header.BTH, Header.FETH, Header.RETH);
        assertThat(Opcode.UD_SEND_ONLY_IMMEDIATE.headers()).containsExactly(Header.BTH, Header.DETH, Header.IMMDT);
        assertThat(Opcode.XRC_WRITE_ONLY_IMMEDIATE.headers())
                .containsExactly(Header.BTH, Header.XRCETH, Header.RETH, Header.IMMDT);
        assertThat(Opcode.RC_ATOMIC_ACKNOWLEDGE.headers())
                .containsExactly(Header.BTH, Header.AETH, Header.ATOMICACKETH);
        assertThat(Opcode.RC_FLUSH.offsetOf(Header.RETH)).isEqualTo(16);
        assertThat(Opcode.RC_FLUSH.offsetOf(Header.AETH)).isEqualTo(-1);
    }

    @Test
    void xrcRequestsCarryTheReceiveQueueAndResponsesDoNot() {
        for (Opcode opcode : Opcode.values()) {
            boolean expected = opcode.transport() == TransportClass.XRC && opcode.isRequest();
            assertThat(opcode.carries(Header.XRCETH)).as(opcode.text()).isEqualTo(expected);
        }
    }

    @Test
    void theClassIsTheUpperThreeBitsUnlessTheOpcodeIsOurs() {
        for (Opcode opcode : Opcode.values()) {
            if (opcode.operation().isManufacturerSpecific()) {
                assertThat(opcode.code()).as(opcode.text()).isBetween(0xC0, 0xFF);
            } else {
                assertThat(opcode.code() & 0xE0)
                        .as(opcode.text())
                        .isEqualTo(opcode.transport().base());
            }
        }
        assertThat(TransportClass.RC.isReliable()).isTrue();
        assertThat(TransportClass.XRC.isReliable()).isTrue();
        assertThat(TransportClass.UC.isReliable()).isFalse();
        assertThat(TransportClass.UD.isReliable()).isFalse();
    }

    @Test
    void aMessageIsCutFromItsOnlyForm() {
        Opcode only = Opcode.RC_SEND_ONLY_IMMEDIATE;
        assertThat(only.withPosition(Position.FIRST)).isEqualTo(Opcode.RC_SEND_FIRST);
        assertThat(only.withPosition(Position.MIDDLE)).isEqualTo(Opcode.RC_SEND_MIDDLE);
        assertThat(only.withPosition(Position.LAST)).isEqualTo(Opcode.RC_SEND_LAST_IMMEDIATE);
        assertThat(only.withPosition(Position.ONLY)).isEqualTo(only);
        assertThat(Opcode.XRC_SEND_ONLY_INVALIDATE.withPosition(Position.LAST))
                .isEqualTo(Opcode.XRC_SEND_LAST_INVALIDATE);
        assertThat(Opcode.UC_WRITE_ONLY.withPosition(Position.FIRST)).isEqualTo(Opcode.UC_WRITE_FIRST);
        assertThat(Opcode.UC_WRITE_ONLY.withPosition(Position.LAST)).isEqualTo(Opcode.UC_WRITE_LAST);
        assertThat(Opcode.RC_READ_RESPONSE_ONLY.withPosition(Position.MIDDLE))
                .isEqualTo(Opcode.RC_READ_RESPONSE_MIDDLE);
        assertThat(Opcode.RC_FETCH_ADD.withPosition(Position.SINGLE)).isEqualTo(Opcode.RC_FETCH_ADD);
    }

    @Test
    void aPlaceThatAMessageDoesNotHaveIsAMistake() {
        assertThatThrownBy(() -> Opcode.UD_SEND_ONLY.withPosition(Position.FIRST))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("UD SEND Only has no counterpart at position FIRST");
        assertThatThrownBy(() -> Opcode.RC_ACKNOWLEDGE.withPosition(Position.ONLY))
                .isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void otherTransportsHaveTheSamePacketOrNone() {
        assertThat(Opcode.RC_SEND_LAST_INVALIDATE.forTransport(TransportClass.XRC))
                .isEqualTo(Opcode.XRC_SEND_LAST_INVALIDATE);
        assertThat(Opcode.RC_SEND_ONLY_IMMEDIATE.forTransport(TransportClass.UD))
                .isEqualTo(Opcode.UD_SEND_ONLY_IMMEDIATE);
        assertThat(Opcode.RC_MASKED_FETCH_ADD.forTransport(TransportClass.XRC)).isEqualTo(Opcode.XRC_MASKED_FETCH_ADD);
        assertThat(Opcode.RC_MASKED_FETCH_ADD.forTransport(TransportClass.UC)).isNull();
        assertThat(Opcode.RC_READ_REQUEST.forTransport(TransportClass.UC)).isNull();
        assertThat(Opcode.RC_FLUSH.forTransport(TransportClass.XRC)).isNull();
        for (Opcode opcode : Opcode.values()) {
            assertThat(opcode.forTransport(opcode.transport())).isEqualTo(opcode);
        }
    }

    @Test
    void startAndEndFollowFromThePosition() {
        assertThat(Opcode.RC_SEND_FIRST.startsMessage()).isTrue();
        assertThat(Opcode.RC_SEND_FIRST.endsMessage()).isFalse();
        assertThat(Opcode.RC_SEND_MIDDLE.startsMessage()).isFalse();
        assertThat(Opcode.RC_SEND_MIDDLE.endsMessage()).isFalse();
        assertThat(Opcode.RC_SEND_LAST.startsMessage()).isFalse();
        assertThat(Opcode.RC_SEND_LAST.endsMessage()).isTrue();
        assertThat(Opcode.RC_READ_REQUEST.startsMessage()).isTrue();
        assertThat(Opcode.RC_READ_REQUEST.endsMessage()).isTrue();
        assertThat(Opcode.RC_FETCH_ADD.isAtomic()).isTrue();
        assertThat(Opcode.XRC_MASKED_COMPARE_SWAP.isAtomic()).isTrue();
        assertThat(Opcode.RC_ATOMIC_WRITE.isAtomic()).isFalse();
    }

    @Test
    void theLowerEightBitsOfACodeCount() {
        assertThat(Objects.requireNonNull(Opcode.of(0x104))).isEqualTo(Opcode.RC_SEND_ONLY);
        assertThat(Opcode.of(0x15)).isNull();
    }
}
