// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.interop.suite;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.rdma4j.interop.lab.Output;
import io.rdma4j.interop.suite.Scenario.Mismatch;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** Tests which errors of a capture are reported. The lines are from real captures. */
class JudgeTest {
    private static final String WRITE =
            "5 4.479160 10.77.0.2 > 10.77.0.1 RC RDMA WRITE Only qpn 0x000011 psn 0x2b36db pkey 0xffff"
                    + " ackReq 1 va 0x00007fd58544c000 rkey 0x4a56f502 dmaLength 8 payload 8 ICRC ok\n";
    private static final String GOOD = "1 packets, 1 RoCE, 1 ICRC ok, 0 ICRC bad, 0 malformed\n";

    private static String frame(String severity, String message, String protocols, String psn) {
        return String.join(
                "\t",
                "5",
                "10",
                severity,
                message,
                protocols,
                "0x000011",
                psn,
                "65535",
                "0x00007fd58544c000",
                "0x4a56f502",
                "8",
                "");
    }

    private static String judge(String frame, String decoded) {
        return Judge.judge(List.of(frame), new Output(0, decoded));
    }

    @Test
    void theSameValuesInOtherWordsAreTheSame() {
        String protocols = "eth:ethertype:ip:udp:infiniband";
        assertThat(judge(frame("", "", protocols, "2832091"), WRITE + GOOD)).startsWith("1 packets, all ICRCs right");
    }

    @Test
    void anotherValueIsAMismatch() {
        assertThatThrownBy(() -> judge(frame("", "", "eth:infiniband", "2832092"), WRITE + GOOD))
                .isInstanceOf(Mismatch.class)
                .hasMessageContaining("infiniband.bth.psn 2832092");
    }

    @Test
    void aComplaintOfWiresharkIsAMismatchUnlessItIsAboutAPayload() {
        assertThatThrownBy(() -> judge(frame("8388608", "Malformed Packet", "eth:infiniband", "2832091"), WRITE + GOOD))
                .isInstanceOf(Mismatch.class)
                .hasMessageContaining("Malformed Packet");
        assertThat(judge(frame("8388608", "Malformed Packet", "eth:infiniband:rpcordma", "2832091"), WRITE + GOOD))
                .isNotEmpty();
    }

    @Test
    void aWrongIcrcIsAMismatch() {
        assertThatThrownBy(() -> judge(
                        frame("", "", "eth:infiniband", "2832091"),
                        WRITE + "1 packets, 1 RoCE, 0 ICRC ok, 1 ICRC bad, 0 malformed\n"))
                .isInstanceOf(Mismatch.class)
                .hasMessageContaining("1 ICRC bad");
    }

    @Test
    void linuxMustTakeWhatIsSent() {
        List<String> sent =
                IntStream.range(0, 100).mapToObj(psn -> sent(10, psn)).toList();
        assertThat(Judge.taken(sent, 100)).isEqualTo("100 of 100 packets");
        assertThat(Judge.taken(List.of(sent(10, 1), sent(28, 2)), 1)).endsWith("none of 1 FLUSH");
        assertThatThrownBy(() -> Judge.taken(sent, 49)).isInstanceOf(Mismatch.class);
        assertThatThrownBy(() -> Judge.taken(sent, 101)).isInstanceOf(Mismatch.class);
    }

    /** A destroyed queue pair accepts no retransmissions. */
    @Test
    void linuxNeedNotTakeWhatIsRepeated() {
        List<String> sent =
                IntStream.range(0, 200).mapToObj(i -> sent(10, i % 100)).toList();
        assertThat(Judge.taken(sent, 60)).isEqualTo("60 of 200 packets, 100 of them repetitions");
        assertThatThrownBy(() -> Judge.taken(sent, 49)).isInstanceOf(Mismatch.class);
    }

    private static String sent(int opcode, int psn) {
        return opcode + "\t0x000011\t" + psn + "\t";
    }
}
