// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.interop.subnet;

import io.rdma4j.interop.lab.LabException;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;

/** Runs our tools and the programs of infiniband-diags on one subnet: text and exit codes are equal. */
final class ToolComparison {
    private static final String HOST = "Hca2";

    private static final List<String> COMMANDS = List.of(
            "sminfo",
            "saquery PR --src-to-dst 2:4",
            "saquery -c",
            "saquery SMIR",
            "saquery LR 1/1",
            "saquery SWIR 5",
            "saquery NR 4",
            "sminfo 5",
            "smpquery nodeinfo 1",
            "smpquery -D ni 0,1",
            "smpquery nodedesc 4",
            "smpquery portinfo 4 1",
            "smpquery portinfo 5 3",
            "smpquery switchinfo 5",
            "smpquery switchinfo 1",
            "smpquery pkeys 3",
            "smpquery sl2vl 3",
            "smpquery vlarb -D 0,1 1",
            "smpquery vlarb 5",
            "smpquery gi 3",
            "perfquery",
            "perfquery -x 4 1",
            "perfquery -a 5",
            "perfquery -l -a 5",
            "perfquery -D 5 1",
            "perfquery --oprcvcounters 5 1",
            "ibnetdiscover",
            "ibnetdiscover -m",
            "ibnetdiscover -f",
            "ibnetdiscover -l",
            "ibnetdiscover -p",
            "iblinkinfo",
            "iblinkinfo -l",
            "iblinkinfo -d",
            "iblinkinfo -p",
            "iblinkinfo --switches-only",
            "ibqueryerrors",
            "ibroute 5",
            "ibroute -a 5",
            "ibroute -n 5",
            "ibroute -M 5",
            "ibroute 1",
            "ibtracert 1 4",
            "ibtracert 4 1",
            "ibtracert -n 2 3",
            "ibtracert 1 6");

    private final SubnetPrograms programs;
    private final List<String> tools;

    ToolComparison(SubnetPrograms programs, List<String> tools) {
        this.programs = programs;
        this.tools = tools;
    }

    String play(Path directory) throws IOException, InterruptedException {
        try (SubnetLab lab = new SubnetLab(programs, tools, directory, true)) {
            lab.awaitActive();
            for (String command : COMMANDS) {
                String[] words = command.split(" ");
                String theirs = masked(lab.runTheirs(HOST, words));
                String ours = masked(lab.runOurs(HOST, words));
                if (!ours.equals(theirs)) {
                    throw new LabException("'" + command + "' prints " + ours + "\nand the original " + theirs);
                }
            }
            return COMMANDS.size() + " commands have equal text";
        }
    }

    /** Replaces what differs from run to run: times, process numbers, paths of programs, counters of traffic. */
    private static String masked(String text) {
        return text.replaceAll("generated on .*", "generated on DATE")
                .replace("## (null)", "## Thresholds: ") // the original without a file of thresholds
                .replaceAll("(?m)^/.*/usr/sbin/", "")
                .replaceAll("(?m)^ibwarn: .* mad_dump_\\w+: bad .*\n", "") // also about reserved values of a port
                .replaceAll("ibwarn: \\[\\d+\\]", "ibwarn: [PID]")
                .replaceAll("activity count \\d+", "activity count N")
                .replaceAll("(Port(?:Unicast)?(?:Xmit|Rcv)(?:Data|Pkts):\\.*)\\d+", "$1N");
    }
}
