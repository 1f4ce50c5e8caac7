// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.netlab.command.ping;

import io.rdma4j.base.Errno;
import io.rdma4j.base.Gid;
import io.rdma4j.ip.PmtuDiscovery;
import io.rdma4j.netlab.command.shell.ArgumentReader;
import io.rdma4j.netlab.command.shell.ExitCode;
import io.rdma4j.netlab.command.shell.ShellCommand;
import io.rdma4j.netlab.command.shell.ShellSession;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.TimeUnit;

/**
 * {@code tracepath}: shows the routers on the path to a host, and the path MTU. It sends packets of the known path MTU
 * that must not be fragmented ({@code IP_PMTUDISC_DO}), with an increasing hop limit. A router that cannot forward a
 * packet reports the MTU that fits.
 */
public final class TracepathCommand implements ShellCommand {
    private static final int TRIES = 3;
    private static final double NS_PER_MS = 1e6;

    @Override
    public String name() {
        return "tracepath";
    }

    @Override
    public String usage() {
        return "tracepath [-m MAX_HOPS] ADDRESS";
    }

    @Override
    public int run(ShellSession session, List<String> words) {
        ArgumentReader arguments = new ArgumentReader(words);
        int most = arguments.take("-m") ? (int) arguments.number("a number of hops", 1, 255) : 30;
        Gid to = Gid.parse(arguments.next("an address"));
        arguments.end();
        try (EchoProbe probe = new EchoProbe(session, to, PmtuDiscovery.DO)) {
            return new Walk(session, probe, most).run();
        }
    }

    /** One call of the command. */
    private static final class Walk {
        private final ShellSession session;
        private final EchoProbe probe;
        private final int most;
        private int mtu;
        private int sequence;
        private String lastRouter = "";

        Walk(ShellSession session, EchoProbe probe, int most) {
            this.session = session;
            this.probe = probe;
            this.most = most;
            this.mtu = probe.pathMtu();
        }

        private enum Step {
            FARTHER,
            THERE,
            NO_FARTHER
        }

        int run() {
            line(" 1?: ", "[LOCALHOST]", "pmtu " + mtu);
            for (int hops = 1; hops <= most; hops++) {
                Step step = go(hops);
                if (step != Step.FARTHER) {
                    boolean isThere = step == Step.THERE;
                    session.out().println("     Resume: pmtu " + mtu + (isThere ? " hops " + hops : ": not reached"));
                    return isThere ? 0 : ExitCode.FAILED;
                }
            }
            session.out().println("     Too many hops: pmtu " + mtu);
            session.out().println("     Resume: pmtu " + mtu + ": not reached");
            return ExitCode.FAILED;
        }

        private Step go(int hops) {
            String head = String.format(Locale.ROOT, "%2d:  ", hops);
            for (int tries = 0; tries < TRIES; ) {
                EchoProbe.Outcome outcome =
                        probe.ask(++sequence, mtu - probe.headerBytes(), hops, TimeUnit.SECONDS.toNanos(1));
                Gid from = outcome.from();
                String who = from == null ? "" : EchoProbe.text(from);
                if (outcome.isAnswer()) {
                    line(head, who, time(outcome) + " reached");
                    return Step.THERE;
                }
                if (outcome.error() == Errno.EMSGSIZE && probe.pathMtu() < mtu) {
                    mtu = probe.pathMtu();
                    line(head, who, "pmtu " + mtu);
                } else if (outcome.error() != null) {
                    return told(head, who, outcome);
                } else {
                    tries++;
                }
            }
            line(head, "no reply", "");
            return Step.FARTHER;
        }

        /**
         * A router reports an exceeded hop limit once. If the same router reports an error for the next hop limit too,
         * it has no route to the destination.
         */
        private Step told(String head, String router, EchoProbe.Outcome outcome) {
            boolean hopsExceeded =
                    outcome.error() == Errno.EHOSTUNREACH && !router.isEmpty() && !router.equals(lastRouter);
            lastRouter = router;
            line(head, router, hopsExceeded ? time(outcome) : String.valueOf(outcome.error()));
            return hopsExceeded ? Step.FARTHER : Step.NO_FARTHER;
        }

        private static String time(EchoProbe.Outcome outcome) {
            return String.format(Locale.ROOT, "%.3fms", outcome.elapsedNs() / NS_PER_MS);
        }

        private void line(String head, String who, String what) {
            session.out()
                    .println(String.format(Locale.ROOT, "%s%-40s %s", head, who, what)
                            .stripTrailing());
            session.out().flush();
        }
    }
}
