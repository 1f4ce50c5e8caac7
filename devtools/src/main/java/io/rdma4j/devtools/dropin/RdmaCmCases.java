// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.devtools.dropin;

import java.util.ArrayList;
import java.util.List;

/** The programs of librdmacm, which connect by address and port, and performance tests that do. */
final class RdmaCmCases {
    private static final String STEP = "rdma_cm";
    private static final String GROUP = "239.77.0.1";

    private final List<SuiteCase> cases = new ArrayList<>();

    private RdmaCmCases() {}

    static List<SuiteCase> all() {
        RdmaCmCases made = new RdmaCmCases();
        made.addPair(List.of("rping", "-v", "-C", "10", "-a", ProgramRunner.SERVER), "-s", "-c");
        made.addClientServer("ucmatose");
        made.addClientServer("ucmatose", "-c", "20", "-C", "5");
        made.addClientServer("udaddy");
        made.addPair(List.of("mckey", "-m", GROUP), "-b " + ProgramRunner.SERVER, "-s -b " + ProgramRunner.CLIENT);
        made.addService("cmtime -c 50 -b " + ProgramRunner.SERVER, "cmtime -c 50 -s " + ProgramRunner.SERVER);
        made.addPrograms("rdma_server", "rdma_client -s " + ProgramRunner.SERVER);
        made.addPrograms("rdma_xserver -c x", "rdma_xclient -c x -s " + ProgramRunner.SERVER);
        for (String mode : List.of("b", "n", "v")) {
            made.addClientServer("rstream", "-S", "4096", "-I", "20", "-C", "10", "-T", mode);
        }
        made.addClientServer("riostream", "-S", "4096", "-I", "20", "-C", "10");
        made.addPerftest("ib_send_lat");
        made.addPerftest("ib_write_bw");
        return made.cases;
    }

    /** The client names the address of the server with {@code -s}, the server binds to it with {@code -b}. */
    private void addClientServer(String... words) {
        addPair(List.of(words), "-b " + ProgramRunner.SERVER, "-s " + ProgramRunner.SERVER);
    }

    private void addPair(List<String> words, String atServer, String atClient) {
        String both = String.join(" ", words);
        add(both, both + " " + atServer, both + " " + atClient);
    }

    private void addPrograms(String server, String client) {
        add(server.split(" ", 2)[0] + ", " + client.split(" ", 2)[0], server, client);
    }

    private void addPerftest(String test) {
        String words = test + " -R -F -n 200 -d " + ProgramRunner.DEVICE;
        add(test + " -R", words, words + " " + ProgramRunner.SERVER);
    }

    /** The server serves until it is killed. */
    private void addService(String server, String client) {
        cases.add(new SuiteCase(STEP, client.split(" -s ", 2)[0], false, programs -> {
            programs.clientOf(List.of(server.split(" ")), List.of(client.split(" ")));
            return "";
        }));
    }

    private void add(String name, String server, String client) {
        cases.add(new SuiteCase(STEP, name, false, programs -> {
            programs.connectedPair(List.of(server.split(" ")), List.of(client.split(" ")));
            return "";
        }));
    }
}
