// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.tools;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.rdma4j.tools.cli.Tool;
import io.rdma4j.tools.perftest.Measure;
import io.rdma4j.tools.perftest.PerfTest;
import io.rdma4j.tools.perftest.Verb;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Both ends of the performance tests, with one device each, over real sockets. */
@Timeout(180)
class PerftestTest {
    private static final String WAITING = "Waiting for client to connect";
    private static final String NUMBER = "\\d+\\.\\d\\d";

    private final int port = ToolThread.freePort();

    private List<ToolThread> start(String tool, String server, String client) throws InterruptedException {
        ToolThread first = ToolThread.peer(tool, port, server.split(" ")).awaitOutput(WAITING);
        return List.of(first, ToolThread.peer(tool, port, (client + " localhost").split(" ")));
    }

    /** Runs both ends with the same options; both must succeed. Returns the server's lines, then the client's. */
    private List<List<String>> play(String tool, String options) throws InterruptedException {
        List<ToolThread> ends = start(tool, options, options);
        List<Integer> codes = new ArrayList<>();
        for (ToolThread end : ends) {
            codes.add(end.exitCode());
        }
        List<List<String>> lines = ends.stream().map(ToolThread::out).toList();
        assertThat(ends.stream().flatMap(end -> end.err().stream()))
                .as("%s, exit codes %s", lines, codes)
                .isEmpty();
        assertThat(codes).containsOnly(0);
        return lines;
    }

    @Test
    void theTableHasEachTestUnderItsName() {
        for (Verb verb : Verb.values()) {
            for (Measure measure : Measure.values()) {
                String name = new PerfTest(verb, measure).name();
                assertThat(ToolTable.TABLE).extracting(Tool::name).contains(name);
            }
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "ib_send_lat -n 50",
                "ib_send_lat -c UC -n 50",
                "ib_send_lat -c UD -s 100 -n 50",
                "ib_send_lat -e -n 50",
                "ib_send_lat -t 8 -n 50",
                "ib_send_lat -t 8 -Q 3 -e -n 50",
                "ib_write_lat -n 50",
                "ib_write_lat -c UC -s 3000 -m 512 -n 50",
                "ib_read_lat -n 50",
                "ib_read_lat -e -n 50",
                "ib_atomic_lat -A CMP_AND_SWAP -n 50",
                "ib_send_bw -s 1024 -n 100",
                "ib_send_bw -c UD -s 512 -t 8 -n 100",
                "ib_send_bw -q 3 -s 256 -n 100",
                "ib_send_bw -b -s 1024 -n 100",
                "ib_send_lat -c XRC -n 50",
                "ib_send_bw -c XRC -q 3 -s 1024 -n 100",
                "ib_send_bw -c XRC -b -q 2 -s 1024 -n 100",
                "ib_write_lat -c XRC -n 50",
                "ib_write_bw -c XRC -s 1024 -n 100",
                "ib_read_lat -c XRC -n 50",
                "ib_read_bw -c XRC -b -s 1024 -n 100",
                "ib_atomic_bw -c XRC -n 100",
                "ib_send_bw -b -q 2 -e -s 1024 -n 100",
                "ib_write_bw -s 1024 -n 100",
                "ib_write_bw -c UC -s 1024 -t 16 -n 100",
                "ib_write_bw -q 3 -l 4 -s 64 -n 100",
                "ib_write_bw -b --perform_warm_up -Q 7 -s 1024 -n 100",
                "ib_write_bw -e -s 4096 -n 100",
                "ib_read_bw -s 4096 -n 100",
                "ib_read_bw -b -o 1 -s 4096 -n 100",
                "ib_atomic_bw -n 100",
                "ib_atomic_bw -b -n 100",
                "ib_send_lat --send_with_imm --use-srq -n 50",
                "ib_write_lat --write_with_imm -n 50",
                "ib_send_bw --send_with_imm -s 512 -n 100",
                "ib_write_bw --write_with_imm -s 512 -n 100",
                "ib_write_bw --write_with_imm -b -s 512 -n 100",
                "ib_send_bw --reversed -s 512 -n 100",
                "ib_write_bw --reversed -s 512 -n 100",
                "ib_read_bw --reversed -s 512 -n 100",
                "ib_send_bw --recv_post_list=25 -r 50 -s 512 -n 100",
                "ib_write_bw --pkey_index=0 --retry_count=3 -s 512 -n 100",
                "ib_send_bw --rate_limit=10 -s 512 -n 100"
            })
    void bothEndsEndWell(String command) throws InterruptedException {
        String[] words = command.split(" ", 2);
        play(words[0], words[1]);
    }

    @Test
    void theOutputOfALatencyIsThatOfTheOriginal() throws InterruptedException {
        for (List<String> lines : play("ib_send_lat", "-n 20")) {
            assertThat(lines)
                    .contains("                    Send Latency Test", " Connection type : RC\t\tUsing SRQ      : OFF");
            assertThat(lines)
                    .anyMatch(line -> line.matches(" local address: LID 0000 QPN 0x[0-9a-f]{4,6} PSN 0x[0-9a-f]+"));
            String row = lines.get(lines.size() - 2);
            assertThat(row).matches(" 2       20          " + (NUMBER + "\\s+").repeat(6) + NUMBER + "\\s*");
        }
    }

    /** The server of a WRITE test measures nothing; it prints the client's result. */
    @Test
    void theServerOfAOneSidedBandwidthPrintsWhatTheClientMeasured() throws InterruptedException {
        List<List<String>> ends = play("ib_write_bw", "-s 4096 -n 50");
        String row = ends.get(1).get(ends.get(1).size() - 2);
        assertThat(row).matches(" 4096       50 +" + NUMBER + " +" + NUMBER + " *\t\t     \\d\\.\\d{6}");
        assertThat(ends.get(0)).contains(row);
    }

    @Test
    void thereIsARowForEachSize() throws InterruptedException {
        for (List<String> lines : play("ib_send_bw", "-a -c UD -n 5 -m 256")) {
            assertThat(lines.stream().filter(line -> line.matches(" \\d+ +5 .*")))
                    .hasSize(8);
        }
    }

    @Test
    void aDurationIsMeasuredBetweenItsMargins() throws InterruptedException {
        for (List<String> lines : play("ib_send_lat", "-D 1 -f 0")) {
            assertThat(lines).contains(" #bytes        #iterations       t_avg[usec]    tps average");
            assertThat(lines.get(lines.size() - 2)).matches(" 2 +\\d+ +" + NUMBER + " +" + NUMBER + " *");
        }
        play("ib_send_lat", "-D 1 -f 0 -t 100");
        play("ib_write_bw", "-D 1 -f 0 -s 4096");
    }

    @Test
    void jsonAndReportHaveTheNumbers(@TempDir Path directory) throws Exception {
        Path page = directory.resolve("report.html");
        List<ToolThread> ends = start("ib_read_lat", "-n 50", "-n 50 --json --report " + page);
        assertThat(ends.get(1).exitCode()).as(ends.get(1).err().toString()).isZero();
        assertThat(ends.get(0).exitCode()).isZero();
        assertThat(ends.get(1).out())
                .singleElement()
                .asString()
                .startsWith("{\"test\":\"RDMA_Read Latency Test\",\"device\":\"rxe0\",\"run\":{\"date\":")
                .contains("\"connection\":\"RC\",\"qps\":1,")
                .contains("\"results\":[{\"MsgSize\":2,\"n_iterations\":50,\"t_min\":", "\"99.9\":");
        assertThat(Files.readString(page))
                .contains("data-spec=", "uPlot", "<td>50</td>", "<dt>path MTU</dt>", "<dt>command</dt>")
                .as("the page loads nothing from elsewhere; a namespace is a name only")
                .doesNotContain("src=", "href=", "url(", "@import");
    }

    /** The column of average bandwidth in the last row, MiB/s. */
    private static double average(List<String> lines) {
        return Double.parseDouble(lines.get(lines.size() - 2).strip().split("\\s+", -1)[3]);
    }

    @Test
    void theProgramSendsNoFasterThanItsRate() throws InterruptedException {
        List<List<String>> ends = play(
                "ib_write_bw", "-s 1024 -n 200 --rate_limit=1 --rate_units=M --rate_limit_type=SW --burst_size=10");
        // 20 bursts have 19 gaps.
        assertThat(average(ends.get(1))).isLessThan(1.06);
        assertThat(average(play(
                                "ib_send_bw",
                                "-s 512 -n 100 --rate_limit=500 --rate_units=p --rate_limit_type=SW --burst_size=10")
                        .get(1)))
                .isLessThan(0.28);
    }

    @Test
    void eachLatencyContainsTheGapBeforeItsMessage() throws InterruptedException {
        String row = play("ib_read_lat", "-n 20 --latency_gap=3000")
                .get(1)
                .reversed()
                .get(1);
        assertThat(Double.parseDouble(row.strip().split("\\s+", -1)[2])).isGreaterThanOrEqualTo(2990);
    }

    @Test
    void allTimesOfALatencyArePrinted() throws InterruptedException {
        for (List<String> lines : play("ib_send_lat", "-n 20 -U -H")) {
            assertThat(lines.stream().filter(line -> line.equals("#, usec"))).hasSize(2);
            assertThat(lines.stream().filter(line -> line.matches("\\d+, [0-9.]+")))
                    .hasSize(2 * 19);
        }
    }

    @Test
    void aSharedReceiveQueueServesAllQueuePairs() throws InterruptedException {
        List<List<String>> ends = play("ib_send_bw", "--use-srq -q 3 -r 30 -s 512 -n 100");
        assertThat(ends.getFirst()).contains(" Connection type : RC\t\tUsing SRQ      : ON");
        assertThat(ends.getFirst().reversed().get(1)).startsWith(" 512        300 ");
    }

    @ParameterizedTest
    @ValueSource(strings = {"ib_write_bw", "ib_read_bw"})
    void theBytesOfATestAreCompared(String tool) throws InterruptedException {
        List<List<String>> ends = play(tool, "--data_validation -q 2 -s 3000 -n 50");
        assertThat(ends.stream().flatMap(List::stream).filter(line -> line.endsWith("bytes are right")))
                .containsExactly(" Data validation : 6000 bytes are right");
    }

    @Test
    void wrongBytesFailTheTest() throws InterruptedException {
        List<ToolThread> ends = start("ib_write_bw", "--data_validation -s 512 -n 50", "-s 512 -n 50");
        assertThat(ends.getFirst().exitCode()).isEqualTo(1);
        assertThat(ends.getFirst().err()).first().asString().startsWith("Data validation failed: QP 0, byte 0 is 0x00");
    }

    @Test
    void bothDirectionsArePrintedSeparately() throws InterruptedException {
        for (List<String> lines : play("ib_write_bw", "-b --report-both -s 512 -n 100")) {
            assertThat(lines).containsSubsequence(" Local results: ", " Remote results: ");
            assertThat(lines.stream().filter(line -> line.startsWith(" 512 "))).hasSize(3);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"ib_write_bw", "ib_send_bw"})
    void aTestRunsInfinitelyUntilItIsInterrupted(String tool) throws InterruptedException {
        List<ToolThread> ends = start(tool, "--run_infinitely -D 1 -s 512", "--run_infinitely -D 1 -s 512");
        ToolThread client = ends.getLast();
        while (client.out().stream().filter(line -> line.startsWith(" 512 ")).count() < 2) {
            Thread.sleep(20);
        }
        client.interrupt();
        assertThat(client.exitCode()).isEqualTo(1);
        assertThat(client.err()).containsExactly(tool + ": interrupted");
        if (tool.equals("ib_write_bw")) {
            assertThat(ends.getFirst().exitCode()).isZero();
            assertThat(ends.getFirst().out()).contains(" Client closed connection");
        } else {
            ends.getFirst().interrupt();
            assertThat(ends.getFirst().exitCode()).isEqualTo(1);
        }
    }

    @Test
    void datagramsReachAMulticastGroup() throws InterruptedException {
        for (List<String> lines : play("ib_send_bw", "-c UD -g -s 256 -t 8 -n 100")) {
            assertThat(lines).contains("                    Send BW Multicast Test", " MultiCast runs on UD!");
            assertThat(lines).anyMatch(line -> line.contains("QPN 0xffffff"));
        }
    }

    @Test
    void resourcesStayForSomeTimeIfTheUserWants() throws InterruptedException {
        for (List<String> lines : play("ib_write_bw", "-s 512 -n 20 --wait_destroy=1")) {
            assertThat(lines).endsWith(" Waiting 1 seconds before releasing resources...");
        }
    }

    @Test
    void theCpusAreLookedAt() throws InterruptedException {
        List<String> lines = play("ib_write_bw", "-s 512 -D 2 -f 0 --cpu_util").get(1);
        assertThat(lines).anyMatch(line -> line.endsWith("CPU_Util[%]"));
        assertThat(lines.reversed().get(1)).matches(".*\t    " + NUMBER);
    }

    @Test
    void oneFigureMayBePrintedAlone() throws InterruptedException {
        List<ToolThread> ends = start("ib_send_lat", "-n 20", "-n 20 --output=latency");
        assertThat(ends.get(1).exitCode()).isZero();
        assertThat(ends.get(1).out()).singleElement().asString().matches("\\d+\\.\\d{6}");
    }

    @Test
    void theVersionIsThatOfTheExchange() throws InterruptedException {
        ToolThread tool = ToolThread.start("ib_write_bw", "-V");
        assertThat(tool.exitCode()).isZero();
        assertThat(tool.out()).containsExactly("Version: 6.20");
    }

    @Test
    void theExchangeListensAndConnectsOnOneAddress() throws Exception {
        ToolThread server = ToolThread.peer(
                        "ib_write_bw", port, "-s", "64", "-n", "20", "--bind_source_ip", "127.0.0.3")
                .awaitOutput(WAITING);
        try (Socket other = new Socket()) {
            assertThatExceptionOfType(IOException.class)
                    .isThrownBy(
                            () -> other.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), port), 1000));
        }
        ToolThread client =
                ToolThread.peer("ib_write_bw", port, "-s", "64", "-n", "20", "--source_ip", "127.0.0.4", "127.0.0.3");
        assertThat(client.exitCode()).as("%s", client.err()).isZero();
        assertThat(server.exitCode()).as("%s", server.err()).isZero();
    }

    @Test
    void anIpv6GidIsTakenIfTheUserWants() throws InterruptedException {
        ToolThread none = ToolThread.peer("ib_write_bw", port, "--ipv6").awaitOutput(WAITING);
        ToolThread.peer("ib_write_bw", port, "localhost").exitCode();
        assertThat(none.exitCode()).isEqualTo(1);
        assertThat(none.err())
                .first()
                .asString()
                .startsWith("--ipv6: the device has no IPv6 address; its GIDs are 0: ");
    }

    @Test
    void theDocumentIsWrittenToAFileBesideTheText(@TempDir Path directory) throws Exception {
        Path file = directory.resolve("result.json");
        List<ToolThread> ends = start("ib_write_bw", "-s 64 -n 50", "-s 64 -n 50 -m 1024 --out_json_file=" + file);
        assertThat(ends.get(1).exitCode()).as("%s", ends.get(1).err()).isZero();
        assertThat(ends.get(1).out()).contains("                    RDMA_Write BW Test");
        assertThat(Files.readString(file))
                .contains("\"MsgSize\":64,", "\"mtu\":1024,", "\"run\":{\"date\":\"20", "\"rdma4j\":\"", "\"host\":\"")
                .contains("\"jdk\":\"", "\"command\":\"", "\"driver\":\"rxe\"}");
    }

    @Test
    void aBandwidthBelowItsLimitFails() throws InterruptedException {
        List<ToolThread> ends = start("ib_write_bw", "-s 64 -n 10", "-s 64 -n 10 -w 1e9 -y 1e9");
        assertThat(ends.get(1).exitCode()).isEqualTo(1);
        assertThat(ends.get(1).err())
                .containsExactly("Error: BW result is below bw limit", "Error: Msg rate  is below msg_rate limit");
        assertThat(ends.get(0).exitCode()).isZero();
    }

    @ParameterizedTest
    @CsvSource({
        "ib_write_bw, -q 1 -n 10, -q 2 -n 10, same number of QPs",
        "ib_send_bw, -s 64 -n 10, -s 4096 -n 10, do both ends run the same test with the same -s"
    })
    void endsWithOtherParametersAreTold(String tool, String server, String client, String message)
            throws InterruptedException {
        List<ToolThread> ends = start(tool, server, client);
        assertThat(List.of(ends.get(0).exitCode(), ends.get(1).exitCode())).contains(1);
        assertThat(Stream.concat(ends.get(0).err().stream(), ends.get(1).err().stream()))
                .anyMatch(line -> line.contains(message));
    }

    @ParameterizedTest
    @CsvSource({
        "ib_send_bw -c UD -s 8192 localhost, Couldn't connect to localhost",
        "ib_write_bw -x 200, Failed to query GID index 200",
        "ib_write_bw -m 4096 -i 2, Couldn't query the port"
    })
    void whatCannotBeIsTold(String command, String message) throws InterruptedException {
        String[] words = command.split(" ", 2);
        ToolThread tool = ToolThread.peer(words[0], port, words[1].split(" "));
        if (message.startsWith("Failed") || message.startsWith("Couldn't query")) {
            tool.awaitOutput(WAITING);
            ToolThread.peer(words[0], port, "localhost").exitCode();
        }
        assertThat(tool.exitCode()).isEqualTo(1);
        assertThat(tool.err()).first().asString().startsWith(message);
    }

    @Test
    void aDatagramIsNotLargerThanAPacket() throws InterruptedException {
        for (ToolThread end : start("ib_send_bw", "-c UD -s 8192", "-c UD -s 8192")) {
            assertThat(end.exitCode()).isEqualTo(1);
            assertThat(end.err())
                    .first()
                    .isEqualTo(" Max message size in UD cannot be greater than MTU, which is 4096");
        }
    }
}
