// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.examples;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdma4j.testing.ledger.Covers;
import java.io.IOException;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** Runs each example and checks its output. */
class ExamplesTest {
    private static Program start(Class<?> example, String... arguments) throws IOException {
        String[] words = new String[arguments.length + 1];
        words[0] = example.getName();
        System.arraycopy(arguments, 0, words, 1, arguments.length);
        return Program.start(Program.classPath(), words);
    }

    private static List<String> run(Class<?> example, String... arguments) throws IOException, InterruptedException {
        try (Program program = start(example, arguments)) {
            return program.lines();
        }
    }

    @Test
    void aMessageArrives() throws IOException, InterruptedException {
        List<String> lines = run(HelloSend.class);
        assertThat(lines).hasSize(3);
        assertThat(lines.get(0)).matches("queue pair \\d+ is connected with \\d+");
        assertThat(lines.get(1)).isEqualTo("request 2, SEND: SUCCESS");
        assertThat(lines.get(2)).isEqualTo("request 1, RECV: SUCCESS, 13 bytes: \"Hello, RDMA!\"");
    }

    @Test
    void aValueIsFetched() throws IOException, InterruptedException {
        assertThat(run(KeyValueGet.class))
                .containsExactly(
                        "client: green is #00ff00",
                        "client: blue is #0000ff",
                        "client: mauve is not in the table",
                        "server: the client is gone; my queue pair completed 0 requests");
    }

    @Test
    void aValueIsFetchedFromAnotherProcess() throws IOException, InterruptedException {
        try (Program server = start(KeyValueGet.class, "server", "0")) {
            String[] port = server.line().split("on port ", -1);
            assertThat(run(KeyValueGet.class, "client", "localhost", port[port.length - 1]))
                    .contains("client: blue is #0000ff");
            assertThat(server.lines())
                    .containsExactly("server: the client is gone; my queue pair completed 0 requests");
        }
    }

    @Test
    void twoProcessesConnectByAddressAndPort() throws IOException, InterruptedException {
        try (Program server = start(EchoPair.class, "server", "0")) {
            String[] words = server.line().split("[/:]", -1);
            assertThat(run(EchoPair.class, "client", words[1], words[2], "Hello, RDMA!"))
                    .containsExactly("Hello, RDMA!");
            assertThat(server.lines()).isEmpty();
        }
    }

    @Test
    void twoEndpointsExchangeMessages() throws IOException, InterruptedException {
        try (Program server = start(EndpointPair.class, "server", "0")) {
            String[] words = server.line().split("[/:]", -1);
            assertThat(run(EndpointPair.class, "client", words[1], words[2], "Hello, RDMA!"))
                    .containsExactly("sent: SUCCESS", "received: SUCCESS, Hello, RDMA!");
            assertThat(server.lines()).containsExactly("received Hello, RDMA!");
        }
    }

    @Test
    void noTicketIsGivenOutTwice() throws IOException, InterruptedException {
        assertThat(run(AtomicCounter.class))
                .containsExactly(
                        "3 clients took 750 tickets, all different",
                        "the counter says 750",
                        "Ann sets it back, and finds 750",
                        "Ben does the same, too late, and finds 0");
    }

    @Test
    void fewBuffersServeManyClients() throws IOException, InterruptedException {
        List<String> lines = run(SharedReceiveServer.class);
        assertThat(lines).hasSize(10).last().isEqualTo("4 buffers were enough for all");
        assertThat(lines.stream().filter(line -> line.startsWith("Ben")).map(ExamplesTest::wish))
                .containsExactly("two coffees", "two coffees!", "two coffees!!");
        assertThat(IntStream.range(0, 4))
                .allSatisfy(buffer -> assertThat(lines).anyMatch(line -> line.contains("in buffer " + buffer)));
    }

    private static String wish(String line) {
        return line.substring(line.indexOf(": ") + 2);
    }

    @Test
    void whoIsInTheGroupHearsAllOthers() throws IOException, InterruptedException {
        assertThat(run(MulticastChat.class))
                .containsExactly(
                        "Ben hears Ann: Anybody there?",
                        "Cleo hears Ann: Anybody there?",
                        "Ann hears Ben: I am.",
                        "Cleo hears Ben: I am.",
                        "Ann hears Cleo: So am I.",
                        "Ben hears Cleo: So am I.");
    }

    @Test
    @Covers("TOOL-24")
    void commandsOfAnotherProtocolAreTunnelled() throws IOException, InterruptedException {
        assertThat(run(VendorAgent.class))
                .containsExactly(
                        "the port announces an agent: true",
                        "state: ACTIVE",
                        "fans: there is no command 'fans'",
                        "the agent answered 2 commands");
    }

    @Test
    @Covers("GEN-33")
    void blocksAreReadByAProtocolOnTop() throws IOException, InterruptedException {
        assertThat(run(BlockStore.class))
                .containsExactly(
                        "block 3: contents of block 3; key invalidated: true",
                        "block 2: contents of block 2; key invalidated: true",
                        "block 1: contents of block 1; key invalidated: true",
                        "block 0: contents of block 0; key invalidated: true",
                        "the target has written 4 blocks");
    }

    @Test
    void everyVirtualThreadGetsItsAnswers() throws IOException, InterruptedException {
        assertThat(run(VirtualThreadEcho.class))
                .containsExactly("50 connections, 200 echoes, a virtual thread at each end");
    }
}
