// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.testing.conformance.traffic;

import static io.rdma4j.testing.conformance.harness.Refusals.assertRefused;
import static org.assertj.core.api.Assertions.assertThat;

import io.rdma4j.base.Errno;
import io.rdma4j.testing.conformance.harness.ConformanceCases;
import io.rdma4j.testing.conformance.harness.ConformanceTarget;
import io.rdma4j.testing.endpoint.Endpoint;
import io.rdma4j.testing.endpoint.EndpointSetup;
import io.rdma4j.testing.endpoint.LinkSetup;
import io.rdma4j.testing.endpoint.QpPair;
import io.rdma4j.testing.endpoint.Transitions;
import io.rdma4j.testing.ledger.Covers;
import io.rdma4j.verbs.AddressHandle;
import io.rdma4j.verbs.SendRequest;
import io.rdma4j.verbs.device.DeviceCapability;
import io.rdma4j.verbs.values.QpType;
import io.rdma4j.verbs.wr.SendFlag;
import io.rdma4j.verbs.wr.WcFlag;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.HexFormat;
import java.util.function.Supplier;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Cases for checksums of IP over InfiniBand, which the device inserts and verifies. */
public abstract class IpoibChecksumCases extends ConformanceCases {
    private static final int ROUTE = 40;

    /** UDP from 10.0.0.1:7 to 10.0.0.2:7, "hello"; both checksums are correct. */
    private static final byte[] DATAGRAM = HexFormat.of()
            .parseHex("08000000" + "4500002100000000401166ca" + "0a0000010a000002" + "00070007000da7f1" + "68656c6c6f");

    private static final int IP_CHECKSUM = 14;
    private static final int UDP_CHECKSUM = 30;

    private Endpoint a;
    private Endpoint b;
    private AddressHandle toB;

    protected IpoibChecksumCases(Supplier<? extends ConformanceTarget> opener) {
        super(opener);
    }

    @BeforeEach
    void prepare() {
        require(DeviceCapability.UD_IP_CSUM);
        QpPair pair = connected(EndpointSetup.DEFAULT.type(QpType.UD), LinkSetup.DEFAULT);
        a = pair.a();
        b = pair.b();
        toB = closing(a.pd.createAddressHandle(a.pathTo(b)));
    }

    private void send(byte[] datagram, SendFlag... flags) {
        a.memory.asSlice(0, datagram.length).copyFrom(MemorySegment.ofArray(datagram));
        b.postReceive(1, 0, ROUTE + datagram.length);
        SendRequest.Builder request = SendRequest.send()
                .signaled()
                .destination(toB, b.qp.qpn(), Transitions.QKEY)
                .sge(a.mr.sge(0, datagram.length));
        for (SendFlag flag : flags) {
            request.flag(flag);
        }
        a.qp.postSend(request.build());
        a.awaitSend();
    }

    private byte[] received() {
        return b.memory.asSlice(ROUTE, DATAGRAM.length).toArray(ValueLayout.JAVA_BYTE);
    }

    @Test
    @Covers({"WR-28", "CQ-74", "DEV-49"})
    void checksumsAreInsertedAndVerified() {
        byte[] without = DATAGRAM.clone();
        without[IP_CHECKSUM] = 0;
        without[IP_CHECKSUM + 1] = 0;
        without[UDP_CHECKSUM] = 1;
        without[UDP_CHECKSUM + 1] = 2;
        send(without, SendFlag.IP_CSUM);
        assertThat(b.awaitReceive().flags()).containsExactlyInAnyOrder(WcFlag.GRH, WcFlag.IP_CSUM_OK);
        assertThat(received()).isEqualTo(DATAGRAM);
        assertThat(a.memory.asSlice(0, DATAGRAM.length).toArray(ValueLayout.JAVA_BYTE))
                .isEqualTo(without);
    }

    @Test
    @Covers("CQ-74")
    void checksumsThatTheSenderWroteAreVerified() {
        send(DATAGRAM);
        assertThat(b.awaitReceive().flags()).containsExactlyInAnyOrder(WcFlag.GRH, WcFlag.IP_CSUM_OK);
        byte[] wrong = DATAGRAM.clone();
        wrong[DATAGRAM.length - 1] ^= 1;
        send(wrong);
        assertThat(b.awaitReceive().flags()).containsExactly(WcFlag.GRH);
        assertThat(received()).isEqualTo(wrong);
    }

    @Test
    @Covers("WR-28")
    void connectionsHaveNoChecksumsInserted() {
        QpPair pair = connected(EndpointSetup.DEFAULT, LinkSetup.DEFAULT);
        assertRefused(
                Errno.EOPNOTSUPP,
                () -> pair.a().qp.startSend().ipChecksum().send().complete());
    }
}
