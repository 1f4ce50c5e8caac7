// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.devtools.dropin;

import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The cases with the programs of rdma-core and perftest. */
final class ProgramCases {
    private static final String HERE = "127.0.0.1";
    private static final Duration LIMIT = Duration.ofMinutes(1);

    /** Options of the ping-pongs. All check the data. */
    private static final Map<String, List<List<String>>> PINGPONGS = Map.of(
            "rc",
            List.of(List.of(), List.of("-e"), List.of("-t"), List.of("-N"), List.of("-j")),
            "uc",
            List.of(List.of(), List.of("-e")),
            "ud",
            List.of(List.of(), List.of("-e")),
            "srq",
            List.of(List.of(), List.of("-e")));

    private static final Map<String, List<String>> PERFTEST_SERVICES = Map.of(
            "send_lat", List.of("RC", "UC", "UD"),
            "send_bw", List.of("RC", "UC", "UD"),
            "write_lat", List.of("RC", "UC"),
            "write_bw", List.of("RC", "UC"),
            "read_lat", List.of("RC"),
            "read_bw", List.of("RC"),
            "atomic_lat", List.of("RC"));

    /** The result line of a latency test: bytes, iterations, minimum, maximum, typical latency in µs. */
    private static final Pattern LATENCY = Pattern.compile("(?m)^ *\\d+ +\\d+ +[0-9.]+ +[0-9.]+ +([0-9.]+) ");

    private final List<SuiteCase> cases = new ArrayList<>();

    private ProgramCases() {}

    static List<SuiteCase> all() {
        ProgramCases made = new ProgramCases();
        made.addDevices();
        made.addPingpongs();
        made.addKilled();
        made.addPerftest();
        return made.cases;
    }

    private void add(String step, String name, boolean isQuick, SuiteCase.Body body) {
        cases.add(new SuiteCase(step, name, isQuick, body));
    }

    private void addDevices() {
        add("devices", "ibv_devices", true, programs -> {
            String said = programs.run(LIMIT, "ibv_devices");
            if (!said.contains(ProgramRunner.DEVICE)) {
                throw new CaseFailure("no " + ProgramRunner.DEVICE + ": " + said);
            }
            return "";
        });
        add("devices", "ibv_devinfo -v", true, programs -> {
            String said = programs.run(LIMIT, "ibv_devinfo", "-v", "-d", ProgramRunner.DEVICE);
            for (String line : List.of("PORT_ACTIVE", "link_layer:\t\tEthernet", "RoCE v2")) {
                if (!said.contains(line)) {
                    throw new CaseFailure("no '" + line + "'");
                }
            }
            return "";
        });
    }

    private void addPingpongs() {
        for (String kind : List.of("rc", "uc", "ud", "srq")) {
            for (List<String> options : PINGPONGS.getOrDefault(kind, List.of())) {
                boolean isQuick = kind.equals("rc") && options.isEmpty();
                List<String> words = new ArrayList<>(List.of("ibv_" + kind + "_pingpong", "-c"));
                words.addAll(options);
                add("pingpongs", String.join(" ", words), isQuick, programs -> pingpong(programs, words, "-g", "0"));
            }
        }
        add(
                "pingpongs",
                "ibv_xsrq_pingpong",
                false,
                programs -> pingpong(programs, List.of("ibv_xsrq_pingpong"), "-g", "0"));
    }

    /** What a killed program leaves in the run directory, the next one removes. */
    private void addKilled() {
        add("processes", "kill -9, then another program", true, programs -> {
            int port = programs.nextPort();
            programs.kill(
                    port,
                    List.of("ibv_rc_pingpong", "-d", ProgramRunner.DEVICE, "-g", "0", "-p", String.valueOf(port)));
            programs.run(LIMIT, "ibv_devinfo", "-d", ProgramRunner.DEVICE);
            List<String> left = programs.leftovers();
            if (!left.isEmpty()) {
                throw new CaseFailure("left behind: " + String.join(" ", left));
            }
            return "";
        });
    }

    private static String pingpong(ProgramRunner programs, List<String> program, String... more)
            throws IOException, InterruptedException, CaseFailure {
        int port = programs.nextPort();
        List<String> server = new ArrayList<>(program);
        server.addAll(List.of("-d", ProgramRunner.DEVICE, "-p", String.valueOf(port)));
        server.addAll(List.of(more));
        List<String> client = new ArrayList<>(server);
        client.add(HERE);
        programs.pair(port, server, client);
        return "";
    }

    /**
     * The server of {@code ib_send_bw} waits for all messages. Over UC and UD messages are lost if they come faster
     * than the server takes them, so there they are so few that the buffers hold them all.
     */
    private void addPerftest() {
        for (String test :
                List.of("send_lat", "write_lat", "read_lat", "atomic_lat", "send_bw", "write_bw", "read_bw")) {
            for (String service : PERFTEST_SERVICES.getOrDefault(test, List.of())) {
                boolean losesMessages = test.equals("send_bw") && !service.equals("RC");
                addPerftest(
                        test,
                        losesMessages ? List.of("-c", service, "-s", "1024", "-n", "50") : List.of("-c", service));
            }
        }
        addPerftest("send_lat", List.of("-e"));
        addPerftest("send_bw", List.of("-e"));
        addPerftest("send_lat", List.of("--use_old_post_send"));
        addPerftest("write_bw", List.of("-a"));
        addPerftest("send_bw", List.of("-a"));
        addPerftest("read_bw", List.of("-a"));
    }

    private void addPerftest(String test, List<String> options) {
        String program = "ib_" + test;
        add("perftest", program + " " + String.join(" ", options), false, programs -> {
            int port = programs.nextPort();
            List<String> server = new ArrayList<>(List.of(program, "-n", "200"));
            server.addAll(options);
            server.addAll(List.of("-d", ProgramRunner.DEVICE, "-x", "0", "-F", "-p", String.valueOf(port)));
            List<String> client = new ArrayList<>(server);
            client.add(HERE);
            Matcher result = LATENCY.matcher(programs.pair(port, server, client));
            return test.endsWith("lat") && result.find() ? result.group(1) + " us" : "";
        });
    }
}
