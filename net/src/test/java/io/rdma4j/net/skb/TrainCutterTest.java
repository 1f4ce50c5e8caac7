// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.net.skb;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdma4j.base.Gid;
import io.rdma4j.packet.SkBuff;
import io.rdma4j.packet.SkBuffPool;
import io.rdma4j.testing.fixtures.Packets;
import io.rdma4j.wire.ip.Ipv4;
import io.rdma4j.wire.ip.Ipv6;
import io.rdma4j.wire.ip.Udp;
import java.util.Arrays;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** A train is cut into what it was made of. */
class TrainCutterTest {
    private final SkBuffPool pool = new SkBuffPool(2, 9000);
    private final TrainCutter cutter = new TrainCutter();

    @AfterEach
    void close() {
        assertThat(pool.available()).isEqualTo(2);
        pool.close();
    }

    /** Sizes below that of the headers among them: those cover more than one datagram before. */
    @ParameterizedTest
    @CsvSource({
        "10.0.0.1, 10.0.0.2, 100, 100", "10.0.0.1, 10.0.0.2, 100, 1", "10.0.0.1, 10.0.0.2, 7, 3",
        "fd00::1, fd00::2, 100, 99", "fd00::1, fd00::2, 5, 5", "10.0.0.1, 10.0.0.2, 1, 1"
    })
    void eachDatagramHasItsHeadersAndItsBytes(String source, String destination, int size, int last) {
        Gid from = Gid.parse(source);
        Gid to = Gid.parse(destination);
        byte[] payload = Packets.random(4 * size + last, size);
        SkBuff skb = Packets.udp(pool, from, 11, to, 22, payload);
        int ipBytes = from.isIpv4() ? Ipv4.BYTES : Ipv6.BYTES;
        if (from.isIpv4()) {
            Ipv4.identification(skb.memory(), skb.data(), 0xFFFE);
            Ipv4.updateChecksum(skb.memory(), skb.data());
        }
        skb.setNetworkHeader(0);
        skb.setTransportHeader(ipBytes);
        skb.pull(ipBytes + Udp.BYTES);
        skb.shinfo().gso(size, 5);
        cutter.begin(skb);
        for (int i = 0; i < 5; i++) {
            assertThat(cutter.next(skb)).isTrue();
            assertThat(skb.shinfo().isGso()).isFalse();
            int length = i < 4 ? size : last;
            assertThat(Packets.bytes(skb)).isEqualTo(Arrays.copyOfRange(payload, i * size, i * size + length));
            checkHeaders(skb, from, to, i);
            // As those do who have checked what stands at the end.
            skb.trim(skb.len() / 2);
        }
        assertThat(cutter.next(skb)).isFalse();
        skb.free();
    }

    private static void checkHeaders(SkBuff skb, Gid from, Gid to, int number) {
        int ip = skb.networkHeader();
        int udp = skb.transportHeader();
        assertThat(skb.data()).isEqualTo(udp + Udp.BYTES);
        assertThat(Udp.sourcePort(skb.memory(), udp)).isEqualTo(11);
        assertThat(Udp.destinationPort(skb.memory(), udp)).isEqualTo(22);
        assertThat(Udp.length(skb.memory(), udp)).isEqualTo(skb.len() + Udp.BYTES);
        if (from.isIpv4()) {
            assertThat(udp - ip).isEqualTo(Ipv4.BYTES);
            assertThat(Ipv4.isIntact(skb.memory(), ip)).isTrue();
            assertThat(Ipv4.identification(skb.memory(), ip)).isEqualTo(0xFFFE + number & 0xFFFF);
            assertThat(Ipv4.totalLength(skb.memory(), ip)).isEqualTo(skb.tail() - ip);
            assertThat(Ipv4.source(skb.memory(), ip)).isEqualTo(from.ipv4());
            assertThat(Ipv4.destination(skb.memory(), ip)).isEqualTo(to.ipv4());
        } else {
            assertThat(udp - ip).isEqualTo(Ipv6.BYTES);
            assertThat(Ipv6.payloadLength(skb.memory(), ip)).isEqualTo(skb.tail() - udp);
            assertThat(Ipv6.source(skb.memory(), ip)).isEqualTo(from);
            assertThat(Ipv6.destination(skb.memory(), ip)).isEqualTo(to);
        }
    }
}
