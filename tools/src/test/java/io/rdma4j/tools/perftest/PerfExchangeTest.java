// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.tools.perftest;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.rdma4j.base.Gid;
import io.rdma4j.base.Mtu;
import java.io.DataInputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** One end is the tested class, the test writes the bytes of the other. */
@Timeout(30)
class PerfExchangeTest {
    private static final PerfAddress MINE = new PerfAddress(0, 16, 0x11, 1, 2, 3, Gid.parse("127.0.0.1"), 0);
    private static final PerfAddress THEIRS = new PerfAddress(0, 16, 0x12, 4, 5, 6, Gid.parse("127.0.0.2"), 0);

    private Socket peer;
    private Socket ours;
    private DataInputStream in;
    private OutputStream out;

    @BeforeEach
    void connect() throws IOException {
        try (ServerSocket listener = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            peer = new Socket(InetAddress.getLoopbackAddress(), listener.getLocalPort());
            ours = listener.accept();
        }
        in = new DataInputStream(peer.getInputStream());
        out = peer.getOutputStream();
    }

    @AfterEach
    void close() throws IOException {
        peer.close();
        ours.close();
    }

    private static byte[] padded(String text, int length) {
        return Arrays.copyOf(text.getBytes(StandardCharsets.US_ASCII), length);
    }

    @Test
    void theClientSpeaksFirstAndSaysAVersionBeforeTheCStruct() throws Exception {
        PerfExchange exchange = new PerfExchange(new TcpPeerLink(ours, true));
        out.write(padded("6.06", 16));
        assertThat(exchange.versions()).isEqualTo("6.06");
        assertThat(in.readNBytes(16)).isEqualTo(padded("6.20", 16));
    }

    @Test
    void theServerWaitsForTheClient() throws Exception {
        PerfExchange exchange = new PerfExchange(new TcpPeerLink(ours, false));
        ours.setSoTimeout(100);
        assertThatThrownBy(exchange::versions).isInstanceOf(IOException.class);
        assertThat(in.available()).isZero();
    }

    @Test
    void numbersAreBigEndian() throws Exception {
        out.write(new byte[] {0, 0, 0x20, 0});
        assertThat(new PerfExchange(new TcpPeerLink(ours, true)).number(4096)).isEqualTo(8192);
        assertThat(in.readNBytes(4)).containsExactly(0, 0, 0x10, 0);
    }

    @ParameterizedTest
    @CsvSource({"3, MTU_1024", "5, MTU_4096", "9, MTU_4096"})
    void theSmallerMtuIsUsed(String told, Mtu agreed) throws Exception {
        out.write(padded(told, 2));
        assertThat(new PerfExchange(new TcpPeerLink(ours, true)).mtu(Mtu.MTU_4096))
                .isEqualTo(agreed);
        assertThat(in.readNBytes(2)).containsExactly('5', 0);
    }

    @Test
    void addressesGoOneByOne() throws Exception {
        PerfExchange exchange = new PerfExchange(new TcpPeerLink(ours, false));
        out.write(THEIRS.encode());
        out.write(MINE.encode());
        assertThat(exchange.addresses(List.of(MINE, MINE))).containsExactly(THEIRS, MINE);
        assertThat(in.readNBytes(2 * 108)).startsWith(MINE.encode()).endsWith(MINE.encode());
    }

    @Test
    void aPeerAtAnotherPointIsNoticed() throws Exception {
        PerfExchange exchange = new PerfExchange(new TcpPeerLink(ours, true));
        out.write(THEIRS.encode());
        exchange.barrier(MINE, THEIRS);
        out.write(MINE.encode());
        assertThatThrownBy(() -> exchange.barrier(MINE, THEIRS)).hasMessageContaining("same number of QPs (-q)");
    }

    @Test
    void resultsAreBigEndianNumbersStepByStep() throws Exception {
        ByteBuffer told = ByteBuffer.allocate(40);
        told.putLong(65536).putLong(5000).putDouble(200.5).putDouble(100.25).putDouble(0.5);
        out.write(told.array());
        BandwidthResult mine = new BandwidthResult(2, 3, 4, 5, 6);
        assertThat(new PerfExchange(new TcpPeerLink(ours, true)).results(mine))
                .isEqualTo(new BandwidthResult(65536, 5000, 200.5, 100.25, 0.5));
        ByteBuffer sent = ByteBuffer.wrap(in.readNBytes(40));
        assertThat(sent.getLong()).isEqualTo(2);
        assertThat(sent.getLong()).isEqualTo(3);
        assertThat(sent.getDouble()).isEqualTo(4);
        assertThat(sent.getDouble()).isEqualTo(5);
        assertThat(sent.getDouble()).isEqualTo(6);
    }

    @Test
    void whoeverIsNoPerftestIsTold() throws Exception {
        out.write(padded("GET / HTTP/1.1\r\n", 16));
        assertThatThrownBy(() -> new PerfExchange(new TcpPeerLink(ours, true)).versions())
                .hasMessage("The peer is not a performance test: it sends \"GET / HTTP/1.1\"");
    }

    @Test
    void aPerftestThatIsTooOldIsTold() throws Exception {
        out.write(padded("5.60", 16));
        assertThatThrownBy(() -> new PerfExchange(new TcpPeerLink(ours, true)).versions())
                .hasMessage("Current implementation is not compatible with versions older than 5.70");
    }

    @Test
    void aPeerThatHangsUpIsTold() throws Exception {
        peer.close();
        assertThatThrownBy(() -> new PerfExchange(new TcpPeerLink(ours, false)).versions())
                .hasMessageStartingWith("The peer ended the exchange");
    }

    @Test
    void theEndIsAWord() throws Exception {
        new PerfExchange(new TcpPeerLink(ours, true)).done();
        assertThat(in.readNBytes(5)).isEqualTo("done\0".getBytes(StandardCharsets.US_ASCII));
    }
}
