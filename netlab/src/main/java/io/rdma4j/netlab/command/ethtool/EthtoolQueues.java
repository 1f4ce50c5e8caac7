// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.netlab.command.ethtool;

import io.rdma4j.base.Errno;
import io.rdma4j.base.RdmaException;
import io.rdma4j.net.NetDevice;
import io.rdma4j.net.ethtool.ChannelCounts;
import io.rdma4j.net.ethtool.EthtoolOps;
import io.rdma4j.net.ethtool.FlowHashTable;
import io.rdma4j.net.ethtool.RingParameters;
import io.rdma4j.netlab.command.shell.ArgumentReader;
import io.rdma4j.netlab.command.shell.ShellSession;
import io.rdma4j.netlab.command.shell.UsageException;
import java.io.PrintWriter;
import java.util.List;
import java.util.Set;

/** {@code ethtool -g -l -x -a} and {@code -G -L -X -A}: rings, queues, flow hash table and pause frames of a driver. */
final class EthtoolQueues {
    /** Options that change something. */
    static final Set<String> CHANGES =
            Set.of("-G", "--set-ring", "-L", "--set-channels", "-X", "--set-rxfh-indir", "-A", "--pause");

    /** Number of queues on a line of the flow hash table. */
    private static final int LINE = 8;

    private EthtoolQueues() {}

    static int show(ShellSession session, NetDevice device, String what) {
        PrintWriter out = session.out();
        EthtoolOps driver = device.ethtool();
        switch (what) {
            case "-g", "--show-ring" -> {
                RingParameters ring = driver.ring();
                out.println("Ring parameters for " + device.name() + ":");
                out.println("Pre-set maximums:");
                ring(out, ring.rxMax(), ring.rxMax(), ring.txMax(), ring.txMax());
                out.println("Current hardware settings:");
                ring(out, ring.rxMax(), ring.rx(), ring.txMax(), ring.tx());
            }
            case "-l", "--show-channels" -> {
                ChannelCounts channels = driver.channels();
                out.println("Channel parameters for " + device.name() + ":");
                out.println("Pre-set maximums:");
                channels(out, channels.rxMax(), channels.txMax());
                out.println("Current hardware settings:");
                channels(out, channels.rx(), channels.tx());
            }
            case "-x", "--show-rxfh-indir" -> flows(session, device, driver.flowHash());
            case "-a", "--show-pause" -> throw noPause();
            default -> throw new UsageException("\"" + what + "\" is unknown");
        }
        return 0;
    }

    private static void ring(PrintWriter out, int rxMax, int rx, int txMax, int tx) {
        out.println("RX:\t\t" + orNone(rxMax, rx));
        out.println("RX Mini:\tn/a");
        out.println("RX Jumbo:\tn/a");
        out.println("TX:\t\t" + orNone(txMax, tx));
    }

    /** Formats a value; {@code n/a} if its maximum is 0. */
    private static String orNone(int max, int value) {
        return max == 0 ? "n/a" : Integer.toString(value);
    }

    private static void channels(PrintWriter out, int rx, int tx) {
        out.println("RX:\t\t" + rx);
        out.println("TX:\t\t" + tx);
        out.println("Other:\t\tn/a");
        out.println("Combined:\tn/a");
    }

    private static void flows(ShellSession session, NetDevice device, FlowHashTable table) {
        session.out()
                .println("RX flow hash indirection table for " + device.name() + " with "
                        + device.receiveQueues().realCount() + " RX ring(s):");
        List<Integer> queues = table.queues();
        for (int i = 0; i < queues.size(); i += LINE) {
            StringBuilder line = new StringBuilder(String.format("%5d: ", i));
            queues.subList(i, Math.min(i + LINE, queues.size()))
                    .forEach(queue -> line.append(String.format(" %5d", queue)));
            session.out().println(line);
        }
    }

    static int change(ShellSession session, NetDevice device, String what, ArgumentReader words) {
        EthtoolOps driver = device.ethtool();
        switch (what) {
            case "-G", "--set-ring" -> {
                RingParameters now = driver.ring();
                int[] counts = rxAndTx(words, now.rx(), now.tx());
                RingParameters wanted = new RingParameters(now.rxMax(), now.txMax(), counts[0], counts[1]);
                session.change(() -> driver.setRing(wanted));
            }
            case "-L", "--set-channels" -> {
                ChannelCounts now = driver.channels();
                int[] counts = rxAndTx(words, now.rx(), now.tx());
                ChannelCounts wanted = new ChannelCounts(now.rxMax(), now.txMax(), counts[0], counts[1]);
                session.change(() -> driver.setChannels(wanted));
            }
            case "-X", "--set-rxfh-indir" -> {
                int entries = driver.flowHash().queues().size();
                words.expect("equal");
                int queues =
                        (int) words.number("equal", 1, device.receiveQueues().realCount());
                words.end();
                session.change(() -> driver.setFlowHash(FlowHashTable.spread(entries, queues)));
            }
            default -> throw noPause();
        }
        return 0;
    }

    /** Reads {@code [rx N] [tx N]}. */
    private static int[] rxAndTx(ArgumentReader words, int rx, int tx) {
        int[] counts = {rx, tx};
        while (words.hasNext()) {
            String word = words.next("rx or tx");
            switch (word) {
                case "rx" -> counts[0] = words.count(word);
                case "tx" -> counts[1] = words.count(word);
                default -> throw ArgumentReader.garbage(word);
            }
        }
        return counts;
    }

    /** No driver of this project supports pause frames. */
    private static RdmaException noPause() {
        return new RdmaException(Errno.EOPNOTSUPP, "the driver has no pause frames");
    }
}
