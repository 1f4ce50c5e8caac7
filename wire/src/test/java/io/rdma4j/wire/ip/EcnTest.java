// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.wire.ip;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import org.junit.jupiter.api.Test;

/** The bits of congestion notification in both IP headers. */
class EcnTest {
    private final MemorySegment buffer = Arena.ofAuto().allocate(64).fill((byte) 0xA5);

    @Test
    void aMarkedIpv4PacketKeepsItsClassAndHasAValidChecksum() {
        int tos = Ecn.withCodepoint(0x5B, Ecn.ECT_0);
        assertThat(tos).isEqualTo(0x5A);
        Ipv4.write(buffer, 1, 64, 7, tos, 64, Ipv4.PROTOCOL_UDP, 0x0A00_0001, 0x0A00_0002);
        assertThat(Ecn.codepoint(buffer, 1)).isEqualTo(Ecn.ECT_0);
        Ecn.mark(buffer, 1);
        assertThat(Ecn.codepoint(buffer, 1)).isEqualTo(Ecn.CE);
        assertThat(Ipv4.typeOfService(buffer, 1)).isEqualTo(0x5B);
        assertThat(Ipv4.storedChecksum(buffer, 1)).isEqualTo(Ipv4.checksum(buffer, 1));
    }

    @Test
    void aMarkedIpv6PacketKeepsItsClassFlowLabelAndVersion() {
        Ipv6.write(buffer, 1, 0xFD, 0xABCDE, 64, Ipv6.NEXT_HEADER_UDP, 64, 1, 2, 3, 4);
        assertThat(Ecn.codepoint(buffer, 1)).isEqualTo(Ecn.ECT_1);
        Ecn.mark(buffer, 1);
        assertThat(Ecn.codepoint(buffer, 1)).isEqualTo(Ecn.CE);
        assertThat(Ipv6.trafficClass(buffer, 1)).isEqualTo(0xFF);
        assertThat(Ipv6.flowLabel(buffer, 1)).isEqualTo(0xABCDE);
        assertThat(Ipv6.version(buffer, 1)).isEqualTo(6);
    }
}
