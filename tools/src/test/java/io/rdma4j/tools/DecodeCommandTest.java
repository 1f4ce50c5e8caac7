// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.tools;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class DecodeCommandTest {
    /** The captures are resources of the wire module's tests. */
    private static final Path CAPTURES = Path.of("..", "wire", "src", "test", "resources", "pcaps");

    private static final int ETHERNET = 1;
    private static final int INFINIBAND = 247;
    private static final byte[] FRAME = CaptureFile.ethernet("0800", CaptureFile.IPV4);
    private static final String LINE = "192.168.0.7 > 192.168.0.7 UC SEND Only qpn 0x0000d3 psn 0xcf1710 pkey 0xffff"
            + " migrated 1 pad 2 payload 18 ICRC ok";

    @TempDir
    private Path directory;

    /** Output and exit code of a run. */
    private record Run(int exitCode, List<String> out, String err) {
        String summary() {
            return out.getLast();
        }
    }

    @ParameterizedTest
    @CsvSource({
        "rc_pingpong, 100",
        "rc_pingpong_ipv6, 100",
        "rc_pingpong_loss, 480",
        "read_lat, 25",
        "rping, 41",
        "uc_pingpong, 80",
        "ucmatose, 13",
        "ud_pingpong, 20",
        "udaddy, 6",
        "write_lat, 20",
    })
    void everyCaptureOfLinuxIsGood(String name, int packets) {
        Run run = decode(CAPTURES.resolve(name + ".pcap"));
        assertThat(run.exitCode()).isZero();
        assertThat(run.err()).isEmpty();
        assertThat(run.out()).hasSize(packets + 1);
        assertThat(run.summary())
                .isEqualTo(
                        packets + " packets, " + packets + " RoCE, " + packets + " ICRC ok, 0 ICRC bad, 0 malformed");
    }

    @Test
    void aLineShowsAddressesOpcodeAndFields() {
        Run run = decode(CAPTURES.resolve("rc_pingpong.pcap"));
        assertThat(run.out().getFirst())
                .isEqualTo("1 0.000000 10.77.0.3 > 10.77.0.2 RC SEND First qpn 0x000011 psn 0x78928a pkey 0xffff"
                        + " payload 1024 ICRC ok");
        assertThat(run.out()).anyMatch(line -> line.contains("RC Acknowledge") && line.contains("syndrome ACK msn 1"));
        assertThat(run.out()).anyMatch(line -> line.contains("RC SEND Last") && line.contains("ackReq 1"));
    }

    @Test
    void managementDatagramsShowMessageAndFields() {
        Run run = decode(CAPTURES.resolve("ucmatose.pcap"));

        assertThat(run.out().getFirst())
                .contains("payload 256 ICRC ok CM REQ tid 0x00000002fbbea478 localCommId 0x78a4befb")
                .contains("startingPsn 0x6feafe")
                .endsWith("sourcePort 54017 source ::ffff:10.77.0.3 destination ::ffff:10.77.0.2");
        assertThat(run.out()).filteredOn(line -> line.contains(" CM ")).hasSize(5);
    }

    @Test
    void aManagementDatagramIsAnObjectOfItsOwnInJson() {
        Run run = decode(CAPTURES.resolve("udaddy.pcap"), "--json");

        assertThat(run.out().get(1))
                .contains("\"qkey\":\"0x80010000\"")
                .contains("\"mad\":{\"message\":\"CM SIDR_REP\"")
                .contains("\"qpn\":\"0x00001c\"")
                .contains("\"qkey\":\"0x01234567\"");
    }

    @Test
    void datagramsOfASimulatedSubnetShowRouteAndAttribute() {
        Run run = decode(Path.of("..", "wire", "src", "test", "resources", "mad", "mad_catalogue_umad2sim.pcap"));

        assertThat(run.exitCode()).isZero();
        assertThat(run.out().get(6))
                .contains("lid 65535 > lid 65535 umad2sim qpn 0 sourceQpn 0 SubnDirectedRoute Get NodeInfo")
                .endsWith("hopPointer 0 hopCount 1 initialPath 1");
        assertThat(run.out().get(22)).endsWith("initialPath 1 returnPath 1 ports 255,1,0,3,3,2,5,255*57");
        assertThat(run.out().get(36)).contains("umad2sim qpn 1 sourceQpn 1 SubnAdm GetTable NodeRecord");
        assertThat(run.summary()).isEqualTo("40 packets, 0 RoCE, 0 ICRC ok, 0 ICRC bad, 0 malformed, 40 umad2sim");
    }

    @Test
    void packetsOfInfiniBandLinksShowLidsAndLanes() throws IOException {
        String local = "10320005 0008 0002 0400ffff0000001280000abc 0001020304050607 2cc5e3b5 5e15";
        String badVcrc = local.replace("5e15", "5e16");
        String badIcrc = local.replace("2cc5e3b5", "2cc5e3b6");
        String raw = "20000007 0004 0003 00000800 01020304 0000";
        Run run = decode(CaptureFile.pcap(INFINIBAND)
                .record(CaptureFile.hex(local))
                .record(CaptureFile.hex("01231456 a7a8"))
                .record(CaptureFile.hex(badVcrc))
                .record(CaptureFile.hex(badIcrc))
                .record(CaptureFile.hex(raw))
                .record(CaptureFile.hex(local.replace("0008 0002", "0009 0002")))
                .record(1, 0, Arrays.copyOf(CaptureFile.hex(local), 6), 34));

        assertThat(run.out())
                .containsExactly(
                        "1 0.000000 lid 2 > lid 5 RC SEND Only vl 1 sl 3 packetLength 8 qpn 0x000012 psn 0x000abc"
                                + " pkey 0xffff ackReq 1 payload 8 vcrc ok ICRC ok",
                        "2 0.000000 link > link flow control op 0 vl 1 fctbs 291 fccl 1110 ICRC ok",
                        "3 0.000000 lid 2 > lid 5 RC SEND Only vl 1 sl 3 packetLength 8 qpn 0x000012 psn 0x000abc"
                                + " pkey 0xffff ackReq 1 payload 8 vcrc bad ICRC ok",
                        "4 0.000000 lid 2 > lid 5 RC SEND Only vl 1 sl 3 packetLength 8 qpn 0x000012 psn 0x000abc"
                                + " pkey 0xffff ackReq 1 payload 8 vcrc bad ICRC BAD",
                        "5 0.000000 lid 3 > lid 7 raw vl 2 sl 0 packetLength 4 vcrc bad ICRC BAD",
                        "6 0.000000 lid 2 > lid 5 malformed: bad length in the local route header",
                        "7 0.000000 ? > ? malformed: captured 6 of 34 bytes",
                        "7 packets, 0 RoCE, 3 ICRC ok, 2 ICRC bad, 2 malformed, 7 InfiniBand");
    }

    @Test
    void inJsonTheVcrcIsAMemberAndInfiniBandIsCounted() throws IOException {
        Run run = decode(
                CaptureFile.pcap(INFINIBAND)
                        .record(CaptureFile.hex(
                                "10320005 0008 0002 0400ffff0000001280000abc 0001020304050607 2cc5e3b5 5e15")),
                "--json");

        assertThat(run.out().getFirst()).contains("\"vl\":1").endsWith("\"vcrc\":\"ok\",\"icrc\":\"ok\"}");
        assertThat(run.summary()).endsWith("\"malformed\":0,\"infiniBand\":1}");
    }

    @Test
    void readsShowAddressKeyAndLength() {
        Run run = decode(CAPTURES.resolve("read_lat.pcap"));
        assertThat(run.out())
                .anyMatch(line -> line.contains("RC RDMA READ Request")
                        && line.contains("va 0x000055722b8fd000 rkey 0x0000436a dmaLength 4096 payload 0"));
    }

    @ParameterizedTest
    @CsvSource({
        "1, 7cfe90753cd8 7cfe90753cd9 0800",
        "1, 7cfe90753cd8 7cfe90753cd9 8100 0005 0800",
        "1, 7cfe90753cd8 7cfe90753cd9 88a8 0005 8100 6007 0800",
        "12, ''",
        "14, ''",
        "101, ''",
        "228, ''",
        "113, 0000 0001 0006 7cfe90753cd90000 0800",
        "113, 0000 0001 0006 7cfe90753cd90000 8100 0005 0800",
        "276, 0800 0000 00000002 0001 00 06 7cfe90753cd90000",
    })
    void everyLinkTypeLeadsToThePacket(int linkType, String header) throws IOException {
        byte[] frame = CaptureFile.join(CaptureFile.hex(header), CaptureFile.IPV4);
        Run run = decode(CaptureFile.pcap(linkType).record(frame));
        assertThat(run.out())
                .containsExactly("1 0.000000 " + LINE, "1 packets, 1 RoCE, 1 ICRC ok, 0 ICRC bad, 0 malformed");
    }

    @Test
    void ipv6AndRoceV1AreReadToo() throws IOException {
        Run run = decode(CaptureFile.pcap(ETHERNET)
                .record(CaptureFile.ethernet("86dd", CaptureFile.IPV6))
                .record(CaptureFile.ethernet("8915", CaptureFile.GRH)));
        assertThat(run.out().get(0))
                .startsWith("1 0.000000 2022::1023 > 2023::1024 UC SEND Only")
                .endsWith("ICRC ok");
        assertThat(run.out().get(1))
                .startsWith("2 0.000000 ::ffff:15.0.0.2 > ::ffff:15.0.0.2 RC RDMA WRITE Only qpn 0x00010a")
                .contains("dmaLength 5 payload 5")
                .endsWith("ICRC ok");
        assertThat(run.summary()).isEqualTo("2 packets, 2 RoCE, 2 ICRC ok, 0 ICRC bad, 0 malformed");
    }

    @Test
    void theEtherTypeDecidesBetweenIpAndGrh() throws IOException {
        Run run = decode(CaptureFile.pcap(ETHERNET)
                .record(CaptureFile.ethernet("86dd", CaptureFile.GRH))
                .record(CaptureFile.ethernet("8915", CaptureFile.IPV6))
                .record(CaptureFile.ethernet("0806", CaptureFile.IPV4)));
        assertThat(run.summary()).isEqualTo("3 packets, 1 RoCE, 0 ICRC ok, 0 ICRC bad, 1 malformed");
    }

    @Test
    void blockCapturesAreReadAndTimesAreRelative() throws IOException {
        Run run = decode(CaptureFile.pcapng(ByteOrder.BIG_ENDIAN)
                .pcapngInterface(ETHERNET, 0, new byte[0])
                .enhancedPacket(0, 5_000_000, FRAME, FRAME.length)
                .enhancedPacket(0, 6_500_000, FRAME, FRAME.length));
        assertThat(run.out())
                .containsExactly(
                        "1 0.000000 " + LINE,
                        "2 1.500000 " + LINE,
                        "2 packets, 2 RoCE, 2 ICRC ok, 0 ICRC bad, 0 malformed");
    }

    @ParameterizedTest
    @ValueSource(ints = {18, 60, 70, 74})
    void aCorruptedByteIsBad(int at) throws IOException {
        byte[] frame = FRAME.clone();
        frame[at] ^= 0x40;
        Run run = decode(CaptureFile.pcap(ETHERNET).record(frame));
        assertThat(run.exitCode()).isZero();
        assertThat(run.out().getFirst()).endsWith("ICRC BAD");
        assertThat(run.summary()).isEqualTo("1 packets, 1 RoCE, 0 ICRC ok, 1 ICRC bad, 0 malformed");
    }

    @Test
    void aFrameThatWasCutIsMalformedWithTheReason() throws IOException {
        Run run = decode(CaptureFile.pcap(ETHERNET).record(0, 0, Arrays.copyOf(FRAME, 60), FRAME.length));
        assertThat(run.out())
                .containsExactly(
                        "1 0.000000 192.168.0.7 > 192.168.0.7 malformed: captured 60 of 78 bytes",
                        "1 packets, 1 RoCE, 0 ICRC ok, 0 ICRC bad, 1 malformed");
    }

    @Test
    void noCutOfAFrameIsTakenForAPacket() throws IOException {
        CaptureFile file = CaptureFile.pcap(ETHERNET);
        for (int length = 0; length < FRAME.length; length++) {
            file.record(0, 0, Arrays.copyOf(FRAME, length), FRAME.length);
        }
        assertThat(decode(file).summary()).isEqualTo("78 packets, 78 RoCE, 0 ICRC ok, 0 ICRC bad, 78 malformed");
    }

    @Test
    void aMalformedPacketIsShownWithTheReason() throws IOException {
        byte[] frame = FRAME.clone();
        frame[14 + 28] = 0x3F;
        Run run = decode(CaptureFile.pcap(ETHERNET).record(frame));
        assertThat(run.out().getFirst()).endsWith("192.168.0.7 > 192.168.0.7 malformed: unknown opcode");
    }

    @Test
    void otherTrafficIsCountedAndNotShown() throws IOException {
        byte[] dns = FRAME.clone();
        dns[14 + 22] = 0;
        dns[14 + 23] = 53;
        Run run = decode(CaptureFile.pcap(ETHERNET).record(dns).record(FRAME));
        assertThat(run.out())
                .containsExactly("2 0.000000 " + LINE, "2 packets, 1 RoCE, 1 ICRC ok, 0 ICRC bad, 0 malformed");
    }

    @Test
    void jsonHasOneObjectALine() throws IOException {
        byte[] bad = FRAME.clone();
        bad[60] ^= 1;
        Run run = decode(
                CaptureFile.pcap(ETHERNET)
                        .record(CaptureFile.ethernet("8915", CaptureFile.GRH))
                        .record(bad)
                        .record(2, 5, Arrays.copyOf(FRAME, 20), FRAME.length),
                "--json");
        assertThat(run.out().get(0))
                .isEqualTo(
                        "{\"packet\":1,\"timeNs\":0,\"source\":\"::ffff:15.0.0.2\",\"destination\":\"::ffff:15.0.0.2\",\"opcode\":\"RC"
                                + " RDMA WRITE Only\",\"qpn\":\"0x00010a\",\"psn\":\"0xa788bc\","
                                + "\"pkey\":\"0xffff\",\"ackReq\":1,\"migrated\":1,\"pad\":3,\"va\":\"0x000055d4c0726000\","
                                + "\"rkey\":\"0x000047b3\",\"dmaLength\":5,\"payload\":5,\"icrc\":\"ok\"}");
        assertThat(run.out().get(1)).endsWith("\"icrc\":\"bad\"}");
        assertThat(run.out().get(2))
                .isEqualTo("{\"packet\":3,\"timeNs\":1000005000,\"source\":\"?\",\"destination\":\"?\","
                        + "\"malformed\":\"captured 20 of 78 bytes\"}");
        assertThat(run.summary()).isEqualTo("{\"packets\":3,\"roce\":3,\"icrcOk\":1,\"icrcBad\":1,\"malformed\":1}");
    }

    @Test
    void aMissingOrForeignFileIsNamedAndFails() throws IOException {
        Path missing = directory.resolve("missing.pcap");
        assertThat(decode(missing)).isEqualTo(new Run(1, List.of(), "decode: " + missing + ": no such file\n"));
        Path text = Files.writeString(directory.resolve("text"), "hello, world");
        assertThat(decode(text))
                .isEqualTo(new Run(
                        1, List.of(), "decode: " + text + ": neither pcap nor pcapng: it starts with 0x68656c6c\n"));
        Path empty = Files.createFile(directory.resolve("empty"));
        assertThat(decode(empty).err()).isEqualTo("decode: " + empty + ": the file is empty\n");
        assertThat(decode(directory).exitCode()).isEqualTo(1);
    }

    @Test
    void aFileThatEndsInTheMiddleShowsWhatWasThereAndFails() throws IOException {
        byte[] bytes = CaptureFile.pcap(ETHERNET).record(FRAME).record(FRAME).toBytes();
        Path file = Files.write(directory.resolve("cut.pcap"), Arrays.copyOf(bytes, bytes.length - 1));
        Run run = decode(file);
        assertThat(run.exitCode()).isEqualTo(1);
        assertThat(run.summary()).isEqualTo("1 packets, 1 RoCE, 1 ICRC ok, 0 ICRC bad, 0 malformed");
        assertThat(run.err()).isEqualTo("decode: " + file + ": the file ends in the middle of a record\n");
    }

    private Run decode(CaptureFile file, String... options) throws IOException {
        return decode(file.write(directory), options);
    }

    private static Run decode(Path file, String... options) {
        StringWriter out = new StringWriter();
        StringWriter err = new StringWriter();
        String[] arguments = Arrays.copyOf(options, options.length + 2);
        System.arraycopy(options, 0, arguments, 1, options.length);
        arguments[0] = "decode";
        arguments[options.length + 1] = file.toString();
        int exitCode = new Main(new PrintWriter(out, true), new PrintWriter(err, true)).run(arguments);
        return new Run(exitCode, out.toString().lines().toList(), err.toString());
    }
}
