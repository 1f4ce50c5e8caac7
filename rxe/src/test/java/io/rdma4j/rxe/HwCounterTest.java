// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.rxe;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.rdma4j.base.Errno;
import io.rdma4j.base.RdmaException;
import io.rdma4j.testing.endpoint.Endpoint;
import io.rdma4j.testing.endpoint.LinkSetup;
import io.rdma4j.testing.ledger.Covers;
import io.rdma4j.verbs.device.PortAttributes;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Values of the port's counters that a program can read. */
class HwCounterTest {
    private final Bench bench = new Bench(Set.of());

    @AfterEach
    void close() {
        bench.close();
    }

    private long counter(String name) {
        return bench.context.queryHwCounters(1).getOrDefault(name, -1L);
    }

    @Test
    @Covers("RXE-162")
    void theyHaveTheNamesOfLinuxInItsOrder() {
        assertThat(bench.context.queryHwCounters(1).keySet())
                .containsExactly(
                        "sent_pkts",
                        "rcvd_pkts",
                        "duplicate_request",
                        "out_of_seq_request",
                        "rcvd_rnr_err",
                        "send_rnr_err",
                        "rcvd_seq_err",
                        "ack_deferred",
                        "retry_exceeded_err",
                        "retry_rnr_exceeded_err",
                        "completer_retry_err",
                        "send_err",
                        "link_downed",
                        "rdma_sends",
                        "rdma_recvs",
                        "np_ecn_marked_roce_packets",
                        "np_cnp_sent",
                        "rp_cnp_handled",
                        "rp_cnp_ignored",
                        "rx_icrc_encapsulated",
                        "rcvd_solved_ip_id");
        assertThat(bench.context.queryHwCounters(1).values()).containsOnly(0L);
    }

    @Test
    void aPortThatIsNotThereHasNone() {
        assertThatExceptionOfType(RdmaException.class)
                .isThrownBy(() -> bench.context.queryHwCounters(2))
                .satisfies(e -> assertThat(e.errno()).isEqualTo(Errno.EINVAL));
    }

    /** Twenty packets of a message and their acknowledgement, which are delivered inside the port. */
    @Test
    @Covers({"RXE-146", "RXE-162"})
    void packetsAndMessagesAreCounted() {
        Endpoint self = bench.endpoint();
        self.connectTo(self, LinkSetup.DEFAULT);
        self.postReceive(1, 20_000, 20_000);
        self.postSend(2, 0, 20_000);
        self.awaitReceive();
        self.awaitSend();
        assertThat(counter("sent_pkts")).isEqualTo(21);
        assertThat(counter("rcvd_pkts")).isEqualTo(21);
        assertThat(counter("rdma_sends")).isEqualTo(1);
        assertThat(counter("rdma_recvs")).isEqualTo(1);
        assertThat(counter("send_err")).isZero();
    }

    @Test
    @Covers({"RXE-145", "RXE-162"})
    void whatTheLinkDoesNotTakeIsAnErrorAndWasNotSent() {
        Endpoint endpoint = bench.connected(Bench.PEER_V4, 14);
        bench.network.setCarrier(false);
        endpoint.postSend(1, 0, 100);
        bench.run();
        assertThat(counter("send_err")).isEqualTo(1);
        assertThat(counter("sent_pkts")).isZero();
        assertThat(bench.link.sent).isEmpty();
    }

    @Test
    @Covers({"RXE-23", "RXE-162"})
    void losingTheLinkIsCounted() {
        bench.network.setCarrier(false);
        bench.network.setCarrier(true);
        assertThat(counter("link_downed")).isEqualTo(1);
        bench.network.down();
        bench.network.up();
        assertThat(counter("link_downed")).isEqualTo(2);
    }

    /** These counters have 16 bits and saturate. */
    @Test
    @Covers("RXE-154")
    void countersOfViolationsStopAtTheirEnd() {
        bench.connected(Bench.PEER_V4, 14);
        bench.port.inputCounters().badPkey = 0xFFFE;
        bench.port.counters().qkeyViolations = 0x1_0000_0000L;
        assertThat(bench.context.queryPort(1).badPkeyCounter()).isEqualTo(0xFFFE);
        bench.port.inputCounters().badPkey += 2;
        PortAttributes port = bench.context.queryPort(1);
        assertThat(port.badPkeyCounter()).isEqualTo(0xFFFF);
        assertThat(port.qkeyViolationCounter()).isEqualTo(0xFFFF);
    }
}
