// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.interop.subnet;

import io.rdma4j.interop.lab.LabException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.locks.LockSupport;

/** Two subnet managers on one subnet: which one is master, and what happens when it is killed. */
final class ManagerElection {
    /** Our manager on standby notices the end of the master after four polls, 10 s apart, as OpenSM does by default. */
    private static final Duration LIMIT = Duration.ofMinutes(2);

    private static final long PAUSE_NS = Duration.ofMillis(200).toNanos();
    private static final String FIRST_HOST = "Hca1";
    private static final String LAST_HOST = "Hca4";
    private static final String OBSERVER = "Hca2";
    private static final String GUID_OF_FIRST = "0x100001";
    private static final String GUID_OF_LAST = "0x100007";
    private static final String MASTER = "SMINFO_MASTER";
    private static final String STANDBY = "SMINFO_STANDBY";

    /**
     * A manager on standby asks the master twice a second; without these two lines it notices its end after a minute.
     */
    private static final String SETTINGS = """
            sminfo_polling_timeout 500
            polling_retry_number 3
            """;

    private final SubnetPrograms programs;
    private final List<String> tools;

    ManagerElection(SubnetPrograms programs, List<String> tools) {
        this.programs = programs;
        this.tools = tools;
    }

    /** The second OpenSM is on standby, and becomes master when the first one is killed. */
    String betweenTwoOfOpenSm(Path directory) throws IOException, InterruptedException {
        try (SubnetLab lab = new SubnetLab(programs, tools, directory, false)) {
            RunningProgram first = openSm(lab, directory, FIRST_HOST, 5);
            lab.awaitActive();
            awaitMaster(lab, GUID_OF_FIRST);
            openSm(lab, directory, LAST_HOST, 4);
            awaitState(lab, LAST_HOST, STANDBY);
            awaitMaster(lab, GUID_OF_FIRST);
            first.kill();
            awaitMaster(lab, GUID_OF_LAST);
            return "the one on standby is master after kill -9 of the other";
        }
    }

    /** OpenSM with the higher priority gets the subnet from our manager, which takes it back when OpenSM is killed. */
    String withOursLower(Path directory) throws IOException, InterruptedException {
        try (SubnetLab lab = new SubnetLab(programs, tools, directory, true)) {
            lab.awaitActive();
            awaitMaster(lab, GUID_OF_FIRST);
            RunningProgram theirs = openSm(lab, directory, LAST_HOST, 14);
            awaitMaster(lab, GUID_OF_LAST);
            awaitState(lab, FIRST_HOST, STANDBY);
            theirs.kill();
            awaitMaster(lab, GUID_OF_FIRST);
            awaitState(lab, FIRST_HOST, MASTER);
            return "handed over to OpenSM, and taken back after kill -9 of it";
        }
    }

    /** OpenSM with the lower priority stays on standby beside our manager. */
    String withOursHigher(Path directory) throws IOException, InterruptedException {
        try (SubnetLab lab = new SubnetLab(programs, tools, directory, true, "--sm-priority=15")) {
            lab.awaitActive();
            openSm(lab, directory, LAST_HOST, 1);
            awaitState(lab, LAST_HOST, STANDBY);
            awaitMaster(lab, GUID_OF_FIRST);
            return "OpenSM is on standby";
        }
    }

    private static RunningProgram openSm(SubnetLab lab, Path directory, String host, int priority) throws IOException {
        Path settings = Files.writeString(directory.resolve("opensm.conf"), SETTINGS);
        return lab.serve(
                host, Map.of(), "opensm", "-F", settings.toString(), "-p", "" + priority, "-f", "osm-" + host + ".log");
    }

    /** Waits until the ports name a manager as theirs, and it is master. */
    private static void awaitMaster(SubnetLab lab, String guid) throws IOException, InterruptedException {
        await(lab, OBSERVER, "sm guid " + guid, MASTER);
    }

    /** Waits until the manager at a host has a state. */
    private static void awaitState(SubnetLab lab, String host, String state) throws IOException, InterruptedException {
        await(lab, host, "", state, "-D", "0");
    }

    /** By our tool: that of infiniband-diags does not end in libumad2sim if the manager was killed. */
    private static void await(SubnetLab lab, String host, String guid, String state, String... route)
            throws IOException, InterruptedException {
        String[] words = new String[route.length + 1];
        words[0] = "sminfo";
        System.arraycopy(route, 0, words, 1, route.length);
        long endNs = System.nanoTime() + LIMIT.toNanos();
        while (true) {
            String text = lab.runOurs(host, words);
            if (text.contains(guid) && text.contains(state)) {
                return;
            }
            if (System.nanoTime() - endNs > 0) {
                throw new LabException("no '" + guid + " … " + state + "' at " + host + ": " + text);
            }
            LockSupport.parkNanos(PAUSE_NS);
        }
    }
}
