// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.rxe;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdma4j.base.Gid;
import io.rdma4j.testing.conformance.harness.ConformanceTarget;
import io.rdma4j.testing.endpoint.Endpoint;
import io.rdma4j.testing.endpoint.EndpointSetup;
import io.rdma4j.testing.ledger.Covers;
import io.rdma4j.testing.ledger.ProvedOn;
import io.rdma4j.verbs.values.GlobalRoute;
import io.rdma4j.verbs.values.QpState;
import io.rdma4j.verbs.wr.WcStatus;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.DatagramChannel;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** A device over a UDP socket, whose peer is a socket of the test that answers what it likes. */
@ProvedOn("carrier:udp")
@Timeout(value = 60, unit = TimeUnit.SECONDS)
class BadAnswerTest {
    private static final int IP_AND_UDP_BYTES = 28;
    private static final int PEER = 41;

    /** An AETH that acknowledges the first message. */
    private static final int ACK = 0x0000_0001;

    /** Responses to an RDMA READ of 8 bytes that have 12 or 4 bytes, and the response to an atomic (IBA 9.2.1). */
    @ParameterizedTest
    @CsvSource({"0x10, 12", "0x10, 4", "0x12, 0"})
    @Covers("CQ-35")
    void anAnswerThatIsNotTheOneAskedForEndsTheReadWithABadResponse(String opcode, int payloadBytes) throws Exception {
        InetAddress address = InetAddress.ofLiteral(TestAddresses.text(PEER));
        try (DatagramChannel peer = DatagramChannel.open().bind(new InetSocketAddress(address, 4791));
                ConformanceTarget devices = RxeTargets.udp();
                Endpoint a = new Endpoint(devices, devices.first(), EndpointSetup.DEFAULT)) {
            Bench.connect(a.qp, GlobalRoute.to(Gid.of(address), 0), 14);
            a.qp.startSend()
                    .wrId(7)
                    .rdmaRead(1, 2)
                    .sge(a.mr.lkey(), a.mr.address(), 8)
                    .complete();
            InetSocketAddress device = (InetSocketAddress) peer.receive(ByteBuffer.allocate(4096));
            byte[] answer = new PlainPacket(Gid.of(address), a.gid())
                    .sourcePort(4791)
                    .opcode(Integer.decode(opcode))
                    .qpn(a.qp.qpn())
                    .psn(Bench.FIRST_PSN)
                    .extended(payloadBytes == 0 ? new int[] {ACK, 0, 0} : new int[] {ACK})
                    .payload(new byte[payloadBytes])
                    .bytes();
            peer.send(ByteBuffer.wrap(answer, IP_AND_UDP_BYTES, answer.length - IP_AND_UDP_BYTES), device);
            assertThat(a.awaitSends(1).getFirst().status()).isEqualTo(WcStatus.BAD_RESP_ERR);
            assertThat(a.qp.state()).isEqualTo(QpState.ERR);
        }
    }
}
