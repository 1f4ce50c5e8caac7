// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.interop.suite;

import io.rdma4j.interop.lab.Output;
import io.rdma4j.interop.lab.Running;
import io.rdma4j.interop.suite.Scenario.Mismatch;
import io.rdma4j.interop.suite.Scenario.Skipped;
import java.util.ArrayList;
import java.util.List;

/** Tools of librdmacm, which connect by rdma_cm: the original at one end, that of rdma4j at the other. */
final class ConnectionTools {
    private static final int PORT = ToolPair.PORT;

    private ConnectionTools() {}

    /** All of them. */
    static List<Scenario> all() {
        List<Scenario> all = new ArrayList<>(few());
        all.add(extendedHello());
        all.add(rping("-S 26 -C 5"));
        all.add(rping("-S 65535 -C 5"));
        all.add(rping("-q -C 5"));
        all.add(severalPings());
        all.add(killedClient());
        all.add(ucmatose("-c 4 -C 50 -S 3000"));
        all.add(ucmatose("-c 200 -C 2"));
        all.add(ucmatose("-t 32 -a 14 -m"));
        all.add(ucmatose("-C 0"));
        all.add(udaddy("-c 2 -C 40 -S 900"));
        all.add(cmtime("-c 100"));
        all.add(cmtime("-c 1000"));
        all.add(mckey("", ""));
        all.add(mckey("-c 2 -C 20 -S 1000", ""));
        all.add(mckey("", "-o"));
        all.add(perftest("ib_send_lat -R -s 64 -n 100"));
        all.add(perftest("ib_send_lat -R -c UD -s 64 -n 100"));
        all.add(perftest("ib_write_lat -R -s 64 -n 100"));
        all.add(perftest("ib_read_lat -R -s 64 -n 100"));
        all.add(perftest("ib_write_bw -R -q 2 -s 65536 -n 100"));
        all.add(perftest("ib_send_bw -z -s 65536 -n 100"));
        return all;
    }

    /** One for each tool, and a refused connection. */
    static List<Scenario> few() {
        return List.of(rping("-C 20"), ucmatose("-C 20"), udaddy("-C 20"), hello(), noListener());
    }

    private static Scenario rping(String options) {
        return new Scenario("rdmacm/rping " + options, (stage, direction) -> {
            ToolPair ends = new ToolPair(stage, direction);
            String server = "rping -s -p " + PORT + " -a " + ends.address() + " " + options;
            String client = "rping -c -v -V -p " + PORT + " -a " + ends.address() + " " + options;
            String text = ends.play(server, client);
            int pings = Integer.parseInt(options.replaceAll(".*-C (\\d+).*", "$1"));
            long seen =
                    text.lines().filter(line -> line.startsWith("ping data: ")).count();
            if (seen != pings) {
                throw new Mismatch(seen + " pings, " + pings + " expected: " + text);
            }
            return "";
        });
    }

    /** One server, client after client. */
    private static Scenario severalPings() {
        return new Scenario("rdmacm/rping -P", (stage, direction) -> {
            ToolPair ends = new ToolPair(stage, direction);
            String address = ends.address();
            try (Running _ = ends.startServer("rping -s -P -p " + PORT + " -a " + address)) {
                for (int i = 0; i < 3; i++) {
                    Output client = ends.client("rping -c -V -C 5 -p " + PORT + " -a " + address);
                    ToolPair.check("client " + i, client);
                }
            }
            return "";
        });
    }

    /** The process of a client is killed in the middle of its pings; the server serves the next one. */
    private static Scenario killedClient() {
        return new Scenario("rdmacm/rping, killed client", (stage, direction) -> {
            ToolPair ends = new ToolPair(stage, direction);
            String options = " -S 64 -p " + PORT + " -a " + ends.address();
            try (Running _ = ends.startServer("rping -s -P" + options)) {
                ToolPair.check("first client", ends.client("rping -c -V -C 1" + options));
                try (Running _ = ends.startClient("rping -c" + options)) {
                    ToolPair.pause();
                }
                ToolPair.check("next client", ends.client("rping -c -V -C 5" + options));
            }
            return "";
        });
    }

    private static Scenario ucmatose(String options) {
        return new Scenario("rdmacm/ucmatose " + options, (stage, direction) -> {
            ToolPair ends = new ToolPair(stage, direction);
            String address = ends.address();
            ends.play(
                    "ucmatose -p " + PORT + " -b " + address + " " + options,
                    "ucmatose -p " + PORT + " -s " + address + " " + options);
            return "";
        });
    }

    private static Scenario udaddy(String options) {
        return new Scenario("rdmacm/udaddy " + options, (stage, direction) -> {
            ToolPair ends = new ToolPair(stage, direction);
            String address = ends.address();
            ends.play("udaddy -b " + address + " " + options, "udaddy -s " + address + " " + options);
            return "";
        });
    }

    /** The server of rdma-core does not end by itself. */
    private static Scenario cmtime(String options) {
        return new Scenario("rdmacm/cmtime " + options, (stage, direction) -> {
            ToolPair ends = new ToolPair(stage, direction);
            String address = ends.address();
            try (Running _ = ends.startServer("cmtime -p " + PORT + " -b " + address + " " + options)) {
                ToolPair.check("client", ends.client("cmtime -p " + PORT + " -s " + address + " " + options));
            }
            return "";
        });
    }

    private static Scenario perftest(String command) {
        return new Scenario("rdmacm/" + command, (stage, direction) -> {
            ToolPair ends = new ToolPair(stage, direction);
            if (stage.setup().ipv6()) {
                throw new Skipped("perftest: rdma_cm over IPv4 only");
            }
            ends.play(command + " -F", command + " -F " + ends.address());
            return "";
        });
    }

    /**
     * Datagrams to a multicast group.
     *
     * @param sendOnly additional option of the sender
     */
    private static Scenario mckey(String options, String sendOnly) {
        String name = ("rdmacm/mckey " + options + sendOnly).strip();
        return new Scenario(name, (stage, direction) -> {
            if (stage.setup().ipv6()) {
                throw new Skipped("Linux joins no IPv6 group over RoCE v2");
            }
            ToolPair ends = new ToolPair(stage, direction);
            String usual = ("mckey -m 239.77.0.7 " + options).strip() + " -b ";
            ends.play(usual + ends.address(), (usual + ends.addressOfClient() + " -s " + sendOnly).strip());
            return "";
        });
    }

    /** A listener on all addresses, and a client for each of two of them. */
    static Scenario wildcard() {
        return new Scenario("rdmacm/rping, wildcard with two addresses", (stage, direction) -> {
            ToolPair ends = new ToolPair(stage, direction);
            try (Running _ = ends.startServer("rping -s -P -a :: -p " + PORT)) {
                for (boolean ipv6 : new boolean[] {false, true, false}) {
                    String client = "rping -c -V -C 5 -p " + PORT + " -a " + ends.address(ipv6);
                    ToolPair.check("client", ends.client(client));
                }
            }
            return "";
        });
    }

    private static Scenario hello() {
        return new Scenario("rdmacm/rdma_client", (stage, direction) -> {
            ToolPair ends = new ToolPair(stage, direction);
            String options = " -p " + PORT + " -s " + ends.address();
            ends.play("rdma_server" + options, "rdma_client" + options);
            return "";
        });
    }

    /**
     * Over a reliable connection; Linux {@code rdma_rxe} has no extended ones. The server listens on all IPv4
     * addresses.
     */
    private static Scenario extendedHello() {
        return new Scenario("rdmacm/rdma_xclient", (stage, direction) -> {
            if (stage.setup().ipv6()) {
                throw new Skipped("rdma_xserver listens on the IPv4 wildcard only");
            }
            ToolPair ends = new ToolPair(stage, direction);
            ends.play("rdma_xserver -p " + PORT, "rdma_xclient -p " + PORT + " -s " + ends.address());
            return "";
        });
    }

    private static Scenario noListener() {
        return new Scenario("rdmacm/no listener", (stage, direction) -> {
            new ToolPair(stage, direction).refuse();
            return "";
        });
    }
}
