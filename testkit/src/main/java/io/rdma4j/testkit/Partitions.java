// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.testkit;

import io.rdma4j.base.Gid;
import io.rdma4j.netlab.command.Shell;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/** Pairs of hosts that do not hear each other: each drops the packets from the other with a rule of its firewall. */
final class Partitions {
    private record Cut(RdmaHost at, RdmaHost from) {}

    private final Set<Cut> cuts = new HashSet<>();

    /** Does nothing if the hosts are separated already. */
    synchronized void add(RdmaHost a, RdmaHost b) {
        for (Cut cut : List.of(new Cut(a, b), new Cut(b, a))) {
            if (cuts.add(cut)) {
                filter("-A", cut);
            }
        }
    }

    /** Does nothing if the hosts are not separated. */
    synchronized void remove(RdmaHost a, RdmaHost b) {
        for (Cut cut : List.of(new Cut(a, b), new Cut(b, a))) {
            if (cuts.remove(cut)) {
                filter("-D", cut);
            }
        }
    }

    private static void filter(String operation, Cut cut) {
        Gid gid = cut.from().gid();
        String address = gid.isIpv4() ? gid.toString().replace("::ffff:", "") : gid.toString();
        StringWriter output = new StringWriter();
        PrintWriter out = new PrintWriter(output);
        List<String> words = List.of("iptables", operation, "INPUT", "-s", address, "-j", "DROP");
        if (Shell.run(cut.at().machine(), words, out, out) != 0) {
            throw new IllegalStateException(cut.at() + ": " + String.join(" ", words) + ": " + output);
        }
    }
}
