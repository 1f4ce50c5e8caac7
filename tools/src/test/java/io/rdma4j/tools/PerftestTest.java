package io.rdma4j.tools;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdma4j.tools.perftest.Measure;
import io.rdma4j.tools.perftest.PerfTest;
import io.rdma4j.tools.perftest.Verb;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Both ends of the performance tests, each with a device of its own, over real sockets. */
@Timeout(180)
class PerftestTest {
    private static final String WAITING = "Waiting for client to connect";
    private static final String NUMBER = "\\d+\\.\\d\\d";

    private final int port = ToolThread.freePort();

    private List<ToolThread> start(String tool, String server, String client) throws InterruptedException {
        ToolThread first = ToolThread.peer(tool, port, server.split(" ")).awaitOutput(WAITING);
        return List.of(first, ToolThread.peer(tool, port, (client + " localhost").split(" ")));
    }

    /** Runs both ends with the same options, to a good end; the server's lines, then the client's. */
    private List<List<String>> play(String tool, String options) throws InterruptedException {
        List<ToolThread> ends = start(tool, options, options);
        for (ToolThread end : ends) {
            assertThat(end.exitCode()).as("%s %s", end.out(), end.err()).isZero();
            assertThat(end.err()).isEmpty();
        }
        return ends.stream().map(ToolThread::out).toList();
    }

    @Test
    void theTableHasEachTestUnderItsName() {
        for (Verb verb : Verb.values()) {
            for (Measure measure : Measure.values()) {
                String name = new PerfTest(verb, measure).name();
                assertThat(Tool.TABLE).extracting(Tool::name).contains(name);
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
                "ib_send_bw -b -q 2 -e -s 1024 -n 100",
                "ib_write_bw -s 1024 -n 100",
                "ib_write_bw -c UC -s 1024 -t 16 -n 100",
                "ib_write_bw -q 3 -l 4 -s 64 -n 100",
                "ib_write_bw -b --perform_warm_up -Q 7 -s 1024 -n 100",
                "ib_write_bw -e -s 4096 -n 100",
                "ib_read_bw -s 4096 -n 100",
                "ib_read_bw -b -o 1 -s 4096 -n 100",
                "ib_atomic_bw -n 100",
                "ib_atomic_bw -b -n 100"
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
                    .anyMatch(line -> line.matches(" local address: LID 0000 QPN 0x[0-9a-f]{4} PSN 0x[0-9a-f]+"));
            String row = lines.get(lines.size() - 2);
            assertThat(row).matches(" 2       20          " + (NUMBER + "\\s+").repeat(6) + NUMBER + "\\s*");
        }
    }

    /** The server of a WRITE measures nothing: the client tells it. */
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
                .startsWith("{\"test\":\"RDMA_Read Latency Test\",\"device\":\"rxe0\",\"connection\":\"RC\",\"qps\":1,")
                .contains("\"results\":[{\"MsgSize\":2,\"n_iterations\":50,\"t_min\":", "\"99.9\":");
        assertThat(Files.readString(page))
                .contains("data-spec=", "uPlot", "<td>50</td>", "<dt>path MTU</dt>", "<dt>command</dt>")
                .as("the page loads nothing from elsewhere; a namespace is a name only")
                .doesNotContain("src=", "href=", "url(", "@import");
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
        "ib_write_bw -R, ib_write_bw: --rdma_cm is not supported: there is no connection manager here",
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
