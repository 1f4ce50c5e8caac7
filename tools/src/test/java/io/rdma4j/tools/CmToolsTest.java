// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.tools;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdma4j.rdmacm.RdmaId;
import io.rdma4j.rdmacm.RdmaIdState;
import io.rdma4j.rdmacm.host.RdmaCmService;
import io.rdma4j.testing.ledger.Covers;
import io.rdma4j.verbs.Context;
import io.rdma4j.verbs.Rdma;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The tools of librdmacm. Both ends run in this process, on its loopback device. Texts are those of rdma-core. */
@Timeout(60)
class CmToolsTest {
    private static final List<String> PINGS = List.of(
            "ping data: rdma-ping-0: ABCDEFGHIJKLMNOPQRSTUVWXYZ[\\]^_`abcdefghijklmnopqr",
            "ping data: rdma-ping-1: BCDEFGHIJKLMNOPQRSTUVWXYZ[\\]^_`abcdefghijklmnopqrs",
            "ping data: rdma-ping-2: CDEFGHIJKLMNOPQRSTUVWXYZ[\\]^_`abcdefghijklmnopqrst");

    /** Addresses of both ends in a document, see {@link #document}. */
    private static final String ENDS = "'local':{'address':A,port:#,qpn:#},'remote':{'address':A,port:#}";

    private static Context device;
    private static String address;

    private final int port = ToolThread.freePort();

    @BeforeAll
    static void theLoopbackDeviceHasAnAddress() {
        device = Rdma.open("rxe_lo");
        address = device.queryGid(1, 0).toInetAddress().getHostAddress();
    }

    @AfterAll
    static void close() {
        device.close();
    }

    private ToolThread start(String words) {
        return ToolThread.start(words.split(" ", -1));
    }

    /** Starts a server and waits until it listens. */
    private ToolThread listening(String words) throws InterruptedException {
        return listening(words, this::listens);
    }

    private ToolThread listening(String words, Predicate<RdmaId> listener) throws InterruptedException {
        ToolThread server = start(words);
        while (RdmaCmService.ofProcess().cm().ids().stream().noneMatch(listener)) {
            TimeUnit.MILLISECONDS.sleep(5);
        }
        return server;
    }

    private boolean listens(RdmaId id) {
        return id.state() == RdmaIdState.LISTEN && id.localAddress().getPort() == port;
    }

    private ToolThread rpingServer(String words) throws InterruptedException {
        return listening("rping -s -a " + address + " -p " + port + words);
    }

    private ToolThread rpingClient(String words) {
        return start("rping -c -a " + address + " -p " + port + words);
    }

    @ParameterizedTest
    @ValueSource(strings = {"", " -q"})
    @Covers("TOOL-58")
    void rpingPrintsThePingsOfTheOriginal(String queuePair) throws Exception {
        ToolThread server = rpingServer(" -v" + queuePair);
        ToolThread client = rpingClient(" -v -V -C 3" + queuePair);
        assertThat(client.exitCode()).as(client.err().toString()).isZero();
        assertThat(server.exitCode()).as(server.err().toString()).isZero();
        assertThat(client.out()).isEqualTo(PINGS);
        assertThat(server.out())
                .isEqualTo(PINGS.stream().map(ping -> "server " + ping).toList());
        assertThat(server.err()).containsExactly("server DISCONNECT EVENT...", "wait for RDMA_READ_ADV state 10");
    }

    @Test
    @Covers("TOOL-58")
    void aPersistentRpingServerServesSeveralClientsAtOnce() throws Exception {
        ToolThread server = rpingServer(" -P -S 4096");
        List<ToolThread> clients =
                Stream.generate(() -> rpingClient(" -V -S 4096 -C 20")).limit(4).toList();
        for (ToolThread client : clients) {
            assertThat(client.exitCode()).as(client.err().toString()).isZero();
        }
        server.interrupt();
        server.exitCode();
    }

    @Test
    @Covers("TOOL-58")
    void rpingWithoutServerNamesTheRejection() throws Exception {
        ToolThread client = rpingClient(" -C 1");
        assertThat(client.exitCode()).isEqualTo(255);
        assertThat(client.err()).contains("cma event RDMA_CM_EVENT_REJECTED, error 8");
    }

    @ParameterizedTest
    @CsvSource({
        "-c, 'the client needs -a'",
        "-c -s, either -s or -c",
        "-s -S 25, 'Invalid size 25 (valid range is 26 to 65536)'",
        "-s -S 65536, 'Invalid size 65536'"
    })
    @Covers("TOOL-58")
    void rpingRefusesWrongOptionsWithTheCodeOfTheOriginal(String words, String message) throws Exception {
        ToolThread rping = start("rping " + words);
        assertThat(rping.exitCode()).isEqualTo(22);
        assertThat(rping.err().getFirst()).contains(message);
    }

    @ParameterizedTest
    @ValueSource(strings = {"", " -c 3 -C 40 -S 3000", " -m", " -C 0"})
    @Covers("TOOL-59")
    void ucmatoseTransfersInBothDirections(String words) throws Exception {
        ToolThread server = listening("ucmatose -b " + address + " -p " + port + words);
        ToolThread client = start("ucmatose -t 32 -a 14 -s " + address + " -p " + port + words);
        assertThat(client.exitCode()).as(client.err().toString()).isZero();
        assertThat(server.exitCode()).as(server.err().toString()).isZero();
        boolean transfers = !words.contains("-C 0");
        String migrates = words.equals(" -m") ? "migrating to new event channel" : "";
        assertThat(client.out())
                .isEqualTo(lines(
                        "cmatose: starting client",
                        "cmatose: connecting",
                        migrates,
                        transfers ? "receiving data transfers" : "",
                        transfers ? "sending replies" : "",
                        transfers ? "data transfers complete" : "",
                        "test complete",
                        "return status 0"));
        assertThat(server.out())
                .isEqualTo(lines(
                        "cmatose: starting server",
                        migrates,
                        transfers ? "initiating data transfers" : "",
                        transfers ? "completing sends" : "",
                        transfers ? "receiving data transfers" : "",
                        transfers ? "data transfers complete" : "",
                        "cmatose: disconnecting",
                        "disconnected",
                        "test complete",
                        "return status 0"));
    }

    private static List<String> lines(String... lines) {
        return Stream.of(lines).filter(line -> !line.isEmpty()).toList();
    }

    @Test
    @Covers("TOOL-59")
    void ucmatoseWithoutServerNamesTheRejection() throws Exception {
        ToolThread client = start("ucmatose -s " + address + " -p " + port);
        assertThat(client.exitCode()).isEqualTo(1);
        assertThat(client.err()).contains("cmatose: event: RDMA_CM_EVENT_REJECTED, error: 8");
        assertThat(client.out()).endsWith("test complete", "return status 1");
    }

    @Test
    @Covers("TOOL-60")
    void udaddyExchangesDatagrams() throws Exception {
        // The port of udaddy is not an option of the original.
        ToolThread server =
                listening("udaddy -c 2 -C 30 -S 1000 -b " + address, id -> id.state() == RdmaIdState.LISTEN);
        ToolThread client = start("udaddy -c 2 -C 30 -S 1000 -s " + address);
        assertThat(client.exitCode()).as(client.err().toString()).isZero();
        assertThat(server.exitCode()).as(server.err().toString()).isZero();
        assertThat(client.out())
                .containsExactly(
                        "udaddy: starting client",
                        "udaddy: connecting",
                        "initiating data transfers",
                        "receiving data transfers",
                        "data transfers complete",
                        "test complete",
                        "return status 0");
        assertThat(server.out())
                .containsExactly(
                        "udaddy: starting server",
                        "receiving data transfers",
                        "sending replies",
                        "data transfers complete",
                        "test complete",
                        "return status 0");
    }

    @Test
    @Covers("TOOL-60")
    void udaddyRefusesDatagramsThatAreTooLong() throws Exception {
        ToolThread client = start("udaddy -S 4097 -s " + address);
        assertThat(client.exitCode()).isEqualTo(1);
        assertThat(client.err()).contains("udaddy: message_size 4097 is larger than active mtu 4096");
    }

    @Test
    @Covers("TOOL-61")
    void rdmaClientAndServerExchangeOneMessage() throws Exception {
        ToolThread server = listening("rdma_server -s " + address + " -p " + port);
        ToolThread client = start("rdma_client -s " + address + " -p " + port);
        assertThat(client.exitCode()).as(client.err().toString()).isZero();
        assertThat(server.exitCode()).as(server.err().toString()).isZero();
        assertThat(client.out()).containsExactly("rdma_client: start", "rdma_client: end 0");
        assertThat(server.out()).containsExactly("rdma_server: start", "rdma_server: end 0");
    }

    @Test
    @Covers("TOOL-61")
    void rdmaClientWithoutServerFails() throws Exception {
        ToolThread client = start("rdma_client -s " + address + " -p " + port);
        assertThat(client.exitCode()).isEqualTo(1);
        assertThat(client.err()).contains("rdma_connect: ECONNREFUSED");
        assertThat(client.out()).containsExactly("rdma_client: start", "rdma_client: end 1");
    }

    @ParameterizedTest
    @ValueSource(strings = {"", " -c r", " -c x"})
    @Covers("TOOL-67")
    void rdmaXclientSendsOneMessageToRdmaXserver(String type) throws Exception {
        ToolThread server = listening("rdma_xserver -p " + port + type);
        ToolThread client = start("rdma_xclient -s " + address + " -p " + port + type);
        assertThat(client.exitCode()).as(client.err().toString()).isZero();
        assertThat(server.exitCode()).as(server.err().toString()).isZero();
        assertThat(client.out()).containsExactly("rdma_xclient: start", "rdma_xclient: end 0");
        assertThat(server.out()).containsExactly("rdma_xserver: start", "rdma_xserver: end 0");
    }

    @Test
    @Covers("TOOL-67")
    void rdmaXclientNeedsAServerOfItsType() throws Exception {
        ToolThread wrong = start("rdma_xclient -c q");
        assertThat(wrong.exitCode()).isEqualTo(1);
        assertThat(wrong.err().getFirst()).contains("communication type 'q'");
        ToolThread server = listening("rdma_xserver -p " + port);
        ToolThread client = start("rdma_xclient -c x -s " + address + " -p " + port);
        assertThat(client.exitCode()).isEqualTo(1);
        assertThat(client.err()).contains("rdma_connect: ECONNREFUSED");
        server.interrupt();
        assertThat(server.exitCode()).isEqualTo(1);
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    @Covers("TOOL-62")
    void cmtimePrintsTheTimesOfEachStep(boolean binds) throws Exception {
        ToolThread server = listening("cmtime -c 20 -b " + address + " -p " + port);
        ToolThread client = start("cmtime -c 20 -s " + address + " -p " + port + (binds ? " -b " + address : ""));
        assertThat(client.exitCode()).as(client.out().toString()).isZero();
        assertThat(server.exitCode()).as(server.err().toString()).isZero();
        String bindLine = binds ? "binding source address" : "";
        String bindRow = binds ? "bind addr    :" : "";
        List<String> starts = lines(
                "creating id",
                bindLine,
                "resolving address",
                "resolving route",
                "creating qp",
                "connecting",
                "disconnecting",
                "destroying id",
                "step              total ms     max ms     min us  us / conn");
        assertThat(client.out().subList(0, starts.size())).isEqualTo(starts);
        List<String> rows = client.out().subList(starts.size(), client.out().size());
        assertThat(rows).allMatch(row -> row.matches(".{13}: ( *[0-9]+\\.[0-9]{2}){4}") && !row.contains("999999999"));
        assertThat(rows.stream().map(row -> row.substring(0, 14)).toList())
                .isEqualTo(lines(
                        "create id    :",
                        bindRow,
                        "resolve addr :",
                        "resolve route:",
                        "create qp    :",
                        "connect      :",
                        "disconnect   :",
                        "destroy      :"));
    }

    @Test
    @Covers("TOOL-62")
    void cmtimeWithoutServerNamesTheRejection() throws Exception {
        ToolThread client = start("cmtime -c 2 -s " + address + " -p " + port);
        assertThat(client.exitCode()).isEqualTo(1);
        assertThat(client.out()).containsOnlyOnce("connecting").contains("event: RDMA_CM_EVENT_REJECTED, error: 8");
    }

    @Test
    @Covers("TOOL-63")
    void mckeyReceivesTheDatagramsOfTheGroup() throws Exception {
        String group = "239.1." + port / 256 + "." + port % 256;
        String words = "mckey -m " + group + " -b " + address + " -c 2 -C 5 -S 1000";
        ToolThread receiver = start(words);
        ToolThread sender = start(words + " -s");
        assertThat(sender.exitCode()).as(sender.err().toString()).isZero();
        assertThat(receiver.exitCode()).as(receiver.err().toString()).isZero();
        String joined = "mckey: joined dgid: ::ffff:" + group + " mlid 0x0 sl 0";
        assertThat(sender.out())
                .containsExactly(
                        "mckey: starting client",
                        "mckey: joining",
                        joined,
                        joined,
                        "initiating data transfers",
                        "data transfers complete",
                        "test complete",
                        "return status 0");
        assertThat(receiver.out())
                .containsExactly(
                        "mckey: starting server",
                        "mckey: joining",
                        joined,
                        joined,
                        "receiving data transfers",
                        "data transfers complete",
                        "test complete",
                        "return status 0");
    }

    @ParameterizedTest
    @CsvSource({
        "-s, '-m is missing'",
        "-M ff02::1, 'unmapped multicast address requires binding to source address'",
        "-m 239.1.2.3 -p 0x2, 'port space 0x2'"
    })
    @Covers("TOOL-63")
    void mckeyRefusesWrongOptions(String words, String message) throws Exception {
        ToolThread mckey = start("mckey " + words);
        assertThat(mckey.exitCode()).isEqualTo(1);
        assertThat(mckey.err().getFirst()).contains(message);
    }

    // One JSON document

    /**
     * The only line of a successful tool, with ' for ", # for a number that differs from run to run, A for the address.
     */
    private static String document(ToolThread tool) throws InterruptedException {
        assertThat(tool.exitCode()).as(tool.err().toString()).isZero();
        assertThat(tool.out()).hasSize(1);
        return tool.out()
                .getFirst()
                .replace('"', '\'')
                .replace("'" + address + "'", "A")
                .replaceAll("'(port|qpn|[a-z_]*seconds|[a-z]+_ms|min_us|us_per_connection)':[0-9.E-]+", "$1:#");
    }

    @Test
    @Covers("TOOL-58")
    void rpingPrintsADocument() throws Exception {
        ToolThread server = rpingServer(" -v --json");
        ToolThread client = rpingClient(" -v -C 3 -S 40 --json");
        assertThat(document(client)).isEqualTo("{'role':'client'," + ENDS + ",'size':40,'pings':3,seconds:#}");
        assertThat(document(server)).isEqualTo("{'role':'server'," + ENDS + ",'size':64,'pings':3,seconds:#}");
    }

    @Test
    @Covers("TOOL-58")
    void anRpingServerWithoutEndHasNoDocument() throws Exception {
        ToolThread server = start("rping -s -P --json");
        assertThat(server.exitCode()).isEqualTo(22);
        assertThat(server.err().getFirst()).contains("which with -P has no end");
    }

    @Test
    @Covers("TOOL-59")
    void ucmatosePrintsADocument() throws Exception {
        ToolThread server = listening("ucmatose --json -c 2 -C 3 -b " + address + " -p " + port);
        ToolThread client = start("ucmatose --json -c 2 -C 3 -s " + address + " -p " + port);
        String rest = ",'connections':[{" + ENDS + "},{" + ENDS
                + "}],'messages':3,'size':100,connect_seconds:#,transfer_seconds:#}";
        assertThat(document(client)).isEqualTo("{'role':'client'" + rest);
        assertThat(document(server)).isEqualTo("{'role':'server'" + rest);
    }

    @Test
    @Covers("TOOL-60")
    void udaddyPrintsADocument() throws Exception {
        ToolThread server = listening("udaddy --json -b " + address, id -> id.state() == RdmaIdState.LISTEN);
        ToolThread client = start("udaddy --json -s " + address);
        String rest = ",'connections':[{" + ENDS + "}],'messages':10,'size':100,connect_seconds:#,transfer_seconds:#}";
        assertThat(document(client)).isEqualTo("{'role':'client'" + rest);
        assertThat(document(server)).isEqualTo("{'role':'server'" + rest);
    }

    @Test
    @Covers("TOOL-59")
    void aToolThatFailsHasNoDocument() throws Exception {
        ToolThread client = start("ucmatose --json -s " + address + " -p " + port);
        assertThat(client.exitCode()).isEqualTo(1);
        assertThat(client.out()).isEmpty();
        assertThat(client.err()).contains("cmatose: event: RDMA_CM_EVENT_REJECTED, error: 8");
    }

    @Test
    @Covers("TOOL-61")
    void rdmaClientAndServerPrintADocument() throws Exception {
        ToolThread server = listening("rdma_server --json -s " + address + " -p " + port);
        ToolThread client = start("rdma_client --json -s " + address + " -p " + port);
        assertThat(document(client)).isEqualTo("{'role':'client'," + ENDS + ",'size':16}");
        assertThat(document(server)).isEqualTo("{'role':'server'," + ENDS + ",'size':16}");
    }

    @Test
    @Covers("TOOL-67")
    void rdmaXclientAndXserverPrintADocument() throws Exception {
        ToolThread server = listening("rdma_xserver --json -c x -p " + port);
        ToolThread client = start("rdma_xclient --json -c x -s " + address + " -p " + port);
        assertThat(document(client)).isEqualTo("{'role':'client'," + ENDS + ",'size':16}");
        assertThat(document(server)).isEqualTo("{'role':'server'," + ENDS + ",'size':16}");
    }

    @Test
    @Covers("TOOL-62")
    void cmtimePrintsADocument() throws Exception {
        ToolThread server = listening("cmtime --json -c 5 -b " + address + " -p " + port);
        ToolThread client = start("cmtime --json -c 5 -s " + address + " -p " + port);
        String steps = Stream.of(
                        "create id", "resolve addr", "resolve route", "create qp", "connect", "disconnect", "destroy")
                .map(step -> "{'step':'" + step + "','completed':5,total_ms:#,max_ms:#,min_us:#,us_per_connection:#}")
                .collect(Collectors.joining(","));
        assertThat(document(client)).isEqualTo("{'role':'client','connections':5,'failed':0,'steps':[" + steps + "]}");
        assertThat(document(server)).isEqualTo("{'role':'server','connections':5}");
    }

    @Test
    @Covers("TOOL-62")
    void theDocumentOfCmtimeCountsFailedConnections() throws Exception {
        ToolThread client = start("cmtime --json -c 2 -s " + address + " -p " + port);
        assertThat(client.exitCode()).isEqualTo(1);
        assertThat(client.out()).hasSize(1);
        assertThat(client.out().getFirst())
                .contains("\"failed\":2")
                .contains("{\"step\":\"connect\",\"completed\":0,\"total_ms\":");
        assertThat(client.err()).contains("event: RDMA_CM_EVENT_REJECTED, error: 8");
    }

    @Test
    @Covers("TOOL-63")
    void mckeyPrintsADocumentAndASenderMayOnlySend() throws Exception {
        String group = "239.2." + port / 256 + "." + port % 256;
        String words = "mckey --json -m " + group + " -C 5 -b " + address;
        ToolThread receiver = start(words);
        ToolThread sender = start(words + " -s -o -l");
        String rest = ",'group':'" + group + "','members':[{'local':{'address':A,port:#,qpn:#},'dgid':'::ffff:" + group
                + "','mlid':0,'sl':0}],'messages':5,'size':100,transfer_seconds:#}";
        assertThat(document(sender)).isEqualTo("{'role':'sender'" + rest);
        assertThat(document(receiver)).isEqualTo("{'role':'receiver'" + rest);
    }
}
