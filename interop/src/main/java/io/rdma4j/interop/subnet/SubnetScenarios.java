// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.interop.subnet;

import io.rdma4j.interop.lab.LabException;
import java.io.IOException;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Consumer;
import java.util.function.Predicate;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/** The scenarios of the group {@code fabric/}. One thread. */
public final class SubnetScenarios {
    /** What the names of the scenarios begin with. */
    public static final String GROUP = "fabric/";

    private static final String PING_PONG = "ping-pong over tables of OpenSM";
    private static final String DIAGNOSTICS = "infiniband-diags and OpenSM";
    private static final String OUR_MANAGER = "infiniband-diags and our manager";
    private static final String OUR_TOOLS = "our tools beside infiniband-diags";
    private static final String TWO_OPENSM = "two OpenSM, the master is killed";
    private static final String OURS_LOWER = "our manager hands over to OpenSM, which is killed";
    private static final String OURS_HIGHER = "OpenSM on standby beside our manager";
    private static final String ON_IBSIM = "our manager on ibsim";
    private static final long DETOUR_NS = 30_000_000_000L;
    private static final int NODES = 8;
    private static final int SWITCHES = 4;
    private static final int ACTIVE_PORTS = 16;
    private static final String ACTIVE = "==( 4X           2.5 Gbps Active/  LinkUp)==>";
    private static final Pattern SWITCH = Pattern.compile("Unicast lids .* guid .* \\((.*)\\):");
    private static final Pattern ENTRY = Pattern.compile("0x[0-9a-f]{4} (\\d{3}) : .*: '(.*)'\\)");
    private static final String TRACE = """
            From ca {0x0000000000100000} portnum 1 lid 1-1 "Hca1"
            [1] -> switch port {0x0000000000200000}[1] lid 2-2 "Leaf1"
            [6] -> switch port {0x0000000000200003}[1] lid 6-6 "Spine2"
            [2] -> switch port {0x0000000000200001}[6] lid 3-3 "Leaf2"
            [2] -> ca port {0x0000000000100007}[1] lid 8-8 "Hca4"
            To ca {0x0000000000100006} portnum 1 lid 8-8 "Hca4"
            """;

    private final SubnetPrograms programs;
    private final List<String> tools;
    private final Consumer<SubnetResult> listener;

    /** Output port by destination, by switch, as OpenSM has written them. */
    private final Map<String, Map<String, Integer>> tablesOfOpenSm = new TreeMap<>();

    /** The same as our manager has written them on our subnet. */
    private final Map<String, Map<String, Integer>> tablesOfOurs = new TreeMap<>();

    /** A scenario returns a summary, or throws. */
    private interface Act {
        String play(Path directory) throws IOException, InterruptedException;
    }

    /**
     * Creates the scenarios.
     *
     * @param programs which are unpacked
     * @param tools the command line that starts a tool of this project, without the name of the tool
     * @param listener gets each result at once
     */
    public SubnetScenarios(SubnetPrograms programs, List<String> tools, Consumer<SubnetResult> listener) {
        this.programs = programs;
        this.tools = List.copyOf(tools);
        this.listener = listener;
    }

    /** {@return the names of all scenarios} */
    public static List<String> names() {
        return Stream.of(PING_PONG, DIAGNOSTICS, OUR_MANAGER, OUR_TOOLS, TWO_OPENSM, OURS_LOWER, OURS_HIGHER, ON_IBSIM)
                .map(name -> GROUP + name)
                .toList();
    }

    /**
     * Plays scenarios, one after the other.
     *
     * @param chosen by name
     */
    public void play(Predicate<String> chosen) throws IOException, InterruptedException {
        Map<String, Act> acts = new LinkedHashMap<>();
        acts.put(PING_PONG, this::pingPong);
        acts.put(DIAGNOSTICS, this::diagnostics);
        acts.put(OUR_MANAGER, this::ourManager);
        acts.put(OUR_TOOLS, directory -> new ToolComparison(programs, tools).play(directory));
        ManagerElection election = new ManagerElection(programs, tools);
        acts.put(TWO_OPENSM, election::betweenTwoOfOpenSm);
        acts.put(OURS_LOWER, election::withOursLower);
        acts.put(OURS_HIGHER, election::withOursHigher);
        acts.put(ON_IBSIM, this::onIbsim);
        for (Map.Entry<String, Act> act : acts.entrySet()) {
            String name = GROUP + act.getKey();
            if (chosen.test(name)) {
                listener.accept(play(name, act.getValue()));
            }
        }
    }

    private static SubnetResult play(String name, Act act) throws IOException, InterruptedException {
        Path directory = Files.createTempDirectory("rdma4j-subnet");
        long beginNs = System.nanoTime();
        boolean isGood;
        String detail;
        try {
            detail = act.play(directory);
            isGood = true;
        } catch (LabException e) {
            detail = String.valueOf(e.getMessage());
            isGood = false;
        }
        delete(directory);
        return new SubnetResult(name, isGood, detail, (System.nanoTime() - beginNs) / 1_000_000);
    }

    private static void delete(Path directory) throws IOException {
        try (var files = Files.walk(directory)) {
            for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
                Files.deleteIfExists(file);
            }
        }
    }

    private static void require(boolean isTrue, String text) throws LabException {
        if (!isTrue) {
            throw new LabException(text);
        }
    }

    private static void requireText(String text, String expected) throws LabException {
        require(text.contains(expected), "no '" + expected + "' in: " + text);
    }

    private String pingPong(Path directory) throws IOException, InterruptedException {
        String port;
        try (ServerSocket socket = new ServerSocket(0)) {
            port = Integer.toString(socket.getLocalPort());
        }
        String program = "ibv_rc_pingpong";
        try (SubnetLab lab = new SubnetLab(
                programs, tools, directory, false, "--", "Hca1:", program, "-c", "-p", port, "-n", "100", "--", "Hca4:",
                program, "-c", "-p", port, "-n", "100", "Hca1")) {
            lab.run("Hca1", "opensm", "-o", "-f", "osm.log");
            String text = lab.awaitPrograms();
            requireText(text, "Hca1:   local address:  LID 0x0001");
            requireText(text, "Hca4:   local address:  LID 0x0008");
            requireText(text, "Hca4: 100 iters in");
            return "100 messages in each direction, LID 1 and LID 8";
        }
    }

    private String diagnostics(Path directory) throws IOException, InterruptedException {
        try (SubnetLab lab = new SubnetLab(programs, tools, directory, false)) {
            lab.serve("Hca1", Map.of(), "opensm", "-f", "osm.log");
            lab.awaitActive();
            requireText(lab.run("Hca2", "sminfo"), "sm lid 1 sm guid 0x100001");
            String nodes = lab.run("Hca2", "ibnetdiscover");
            requireText(nodes, "Switch\t8 \"S-0000000000200001\"\t\t# \"Leaf2\" base port 0 lid 3 lmc 0");
            requireText(nodes, "[1](100007) \t\"S-0000000000200001\"[2]\t\t# lid 8 lmc 0 \"Leaf2\" lid 3 4xSDR");
            requireActive(lab.run("Hca2", "iblinkinfo"));
            requireText(lab.run("Hca2", "ibtracert", "1", "8"), TRACE);
            requireText(lab.run("Hca2", "ibroute", "2"), "0x0008 006 : (Channel Adapter portguid 0x0000000000100007");
            requireText(lab.run("Hca2", "smpquery", "nodedesc", "7"), "....Hca3");
            requireText(lab.run("Hca2", "smpquery", "portinfo", "7", "1"), "LinkState:.......................Active");
            requireText(lab.run("Hca2", "perfquery", "-x", "7", "1"), "PortUnicastXmitPkts:");
            requireText(lab.run("Hca2", "ibqueryerrors"), "8 nodes checked, 0 bad nodes found");
            String path = lab.run("Hca2", "saquery", "PR", "--src-to-dst", "5:7");
            requireText(path, "dlid....................7");
            requireText(path, "mtu.....................0x85");
            requireText(lab.run("Hca2", "ibstat"), "Base lid: 5");
            tablesOfOpenSm.putAll(tables(lab.run("Hca2", "dump_fts")));
            require(tablesOfOpenSm.size() == SWITCHES, "tables of " + tablesOfOpenSm.keySet());
            return "13 programs agree with the topology";
        }
    }

    private static void requireActive(String links) throws LabException {
        int count = (links.length() - links.replace(ACTIVE, "").length()) / ACTIVE.length();
        require(count == ACTIVE_PORTS, count + " active ports: " + links);
    }

    private String ourManager(Path directory) throws IOException, InterruptedException {
        try (SubnetLab lab = new SubnetLab(programs, tools, directory, true)) {
            lab.awaitActive();
            requireText(lab.run("Hca2", "sminfo"), "sm guid 0x100001");
            requireText(lab.run("Hca2", "sminfo"), "state 3 SMINFO_MASTER");
            requireActive(lab.run("Hca2", "iblinkinfo"));
            requireText(lab.run("Hca2", "saquery"), "node_type...............Channel Adapter");
            requireText(lab.run("Hca2", "saquery", "PR", "--src-to-dst", "2:4"), "mtu.....................0x85");
            requireText(lab.run("Hca2", "ibqueryerrors"), "8 nodes checked, 0 bad nodes found");
            traceAllPairs(lab);
            tablesOfOurs.putAll(tables(lab.run("Hca2", "dump_fts")));
            return "all ports active, all pairs traced" + compare(tablesOfOurs);
        }
    }

    private static void traceAllPairs(SubnetLab lab) throws IOException, InterruptedException {
        for (int from = 1; from <= NODES; from++) {
            for (int to = 1; to <= NODES; to++) {
                if (from != to) {
                    requireText(lab.run("Hca2", "ibtracert", Integer.toString(from), Integer.toString(to)), "\nTo ");
                }
            }
        }
    }

    private String onIbsim(Path directory) throws IOException, InterruptedException {
        try (SubnetLab lab = SubnetLab.onIbsim(programs, tools, directory)) {
            RunningProgram manager = lab.manage("Hca1");
            requireText(lab.run("Hca2", "sminfo"), "sm lid 1 sm guid 0x100001");
            requireText(lab.run("Hca2", "sminfo"), "state 3 SMINFO_MASTER");
            requireText(lab.run("Hca2", "ibnetdiscover"), "\"Leaf1\" lid 5 4xSDR");
            requireActive(lab.run("Hca2", "iblinkinfo"));
            requireText(lab.run("Hca2", "ibroute", "5"), "8 valid lids dumped");
            requireText(lab.run("Hca2", "saquery", "PR", "--src-to-dst", "2:4"), "mtu.....................0x84");
            traceAllPairs(lab);
            Map<String, Map<String, Integer>> tables = tables(lab.run("Hca2", "dump_fts"));
            require(tables.size() == SWITCHES, "tables of " + tables.keySet());
            require(tablesOfOurs.isEmpty() || tables.equals(tablesOfOurs), tables + " differ from " + tablesOfOurs);
            lab.tell("Unlink \"Leaf1\"[5]");
            awaitDetour(lab);
            requireText(lab.run("Hca2", "smpquery", "portinfo", "1", "1"), "IsSM\n");
            manager.close();
            String info = lab.run("Hca2", "smpquery", "portinfo", "1", "1");
            require(!info.contains("IsSM\n"), "the manager has ended, and its port is still that of one: " + info);
            return "all ports active, all pairs traced, the tables as on our subnet; a cut link is avoided";
        }
    }

    /** Waits until the manager has led all ways around the first spine. */
    private static void awaitDetour(SubnetLab lab) throws IOException, InterruptedException {
        long endNs = System.nanoTime() + DETOUR_NS;
        while (lab.run("Hca2", "ibroute", "5").contains(" 005 :")) {
            if (System.nanoTime() - endNs > 0) {
                throw new LabException("Leaf1 still sends to port 5: " + lab.run("Hca2", "ibroute", "5"));
            }
        }
        requireText(lab.run("Hca2", "ibtracert", "1", "4"), "\"Spine2\"");
    }

    private static Map<String, Map<String, Integer>> tables(String dump) {
        Map<String, Map<String, Integer>> tables = new TreeMap<>();
        Map<String, Integer> present = new TreeMap<>();
        for (String line : dump.lines().toList()) {
            Matcher title = SWITCH.matcher(line);
            Matcher entry = ENTRY.matcher(line);
            if (title.matches()) {
                present = new TreeMap<>();
                tables.put(title.group(1), present);
            } else if (entry.matches()) {
                present.put(entry.group(2), Integer.parseInt(entry.group(1)));
            }
        }
        return tables;
    }

    /** Both managers lead each node along a shortest way: entries differ at most in the spine. */
    private String compare(Map<String, Map<String, Integer>> ours) throws LabException {
        if (tablesOfOpenSm.isEmpty()) {
            return "";
        }
        List<String> equal = new ArrayList<>();
        int count = 0;
        for (Map.Entry<String, Map<String, Integer>> table : tablesOfOpenSm.entrySet()) {
            Map<String, Integer> own = ours.getOrDefault(table.getKey(), Map.of());
            require(
                    own.keySet().equals(table.getValue().keySet()),
                    table.getKey() + " has entries for " + own.keySet() + " and " + table.getValue());
            for (Map.Entry<String, Integer> entry : table.getValue().entrySet()) {
                int port = own.getOrDefault(entry.getKey(), -1);
                String where = table.getKey() + " to " + entry.getKey();
                count++;
                if (port == entry.getValue()) {
                    equal.add(where);
                } else {
                    boolean isUp = port >= 5 && port <= 6 && entry.getValue() >= 5 && entry.getValue() <= 6;
                    boolean isBetweenSpines =
                            table.getKey().startsWith("Spine") && entry.getKey().startsWith("Spine");
                    require(isUp || isBetweenSpines, where + ": port " + port + ", of OpenSM " + entry.getValue());
                }
            }
        }
        return ", " + equal.size() + " of " + count + " entries as OpenSM's, the others by the other spine or leaf";
    }
}
