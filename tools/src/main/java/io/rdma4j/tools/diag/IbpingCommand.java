// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.tools.diag;

import io.rdma4j.netlab.command.shell.Json;
import io.rdma4j.tools.cli.Option;
import io.rdma4j.tools.cli.Options;
import io.rdma4j.tools.cli.UsageException;
import io.rdma4j.verbs.Host;
import java.io.IOException;
import java.io.PrintWriter;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Supplier;

/** {@code ibping}: requests of a vendor's class to a port on which {@code ibping -S} runs. */
public final class IbpingCommand extends DiagCommand {
    private static final int PING_CLASS = 0x32;
    private static final int OPENIB_OUI = 0x001405;
    private static final int MAX_OUI = 0xFF_FFFF;
    private static final int DATA_BYTES = 216;
    private static final long PAUSE_NS = 1_000_000_000;
    private static final int NS_PER_US = 1_000;
    private static final int US_PER_MS = 1_000;

    /** @param host with the devices */
    public IbpingCommand(Supplier<Host> host) {
        super(
                "ibping",
                "[options] <dest lid|guid>      requests to a port on which ibping -S runs",
                host,
                "DKy",
                Option.value('c', "count", "num", "stop after this number of packets"),
                Option.flag('f', "flood", "do not wait between packets, and print only the statistics"),
                Option.value('o', "oui", "oui", "OUI of the class"),
                Option.flag('S', "Server", "answer requests"));
    }

    @Override
    int run(MadAccess mads, Options options, PrintWriter out, PrintWriter err) throws DiagFailure {
        int oui = options.number("oui", OPENIB_OUI, 1, MAX_OUI);
        if (options.has("Server")) {
            byte[] name = hostAndDomain().getBytes(StandardCharsets.UTF_8);
            mads.serve(PING_CLASS, oui, Arrays.copyOf(name, DATA_BYTES));
            return 0;
        }
        if (options.operands().isEmpty()) {
            throw new UsageException("the address of a port is needed");
        }
        atMostOperands(options, 1);
        MadTarget to = target(mads, options, options.operands().getFirst(), null);
        int count = options.number("count", Integer.MAX_VALUE, 1, Integer.MAX_VALUE);
        Pings pings = new Pings(mads, options, to, oui, out);
        pings.send(count);
        pings.report();
        return 0;
    }

    private static String hostAndDomain() {
        return kernelName("hostname") + "." + kernelName("domainname");
    }

    private static String kernelName(String file) {
        try {
            return Files.readString(Path.of("/proc/sys/kernel", file)).strip();
        } catch (IOException _) {
            return "?" + file + "?"; // as the original
        }
    }

    /** One run of the client. */
    private static final class Pings {
        private final MadAccess mads;
        private final Options options;
        private final MadTarget to;
        private final int oui;
        private final PrintWriter out;
        private final long beginNs = System.nanoTime();
        private String name = "";
        private long sent;
        private long received;
        private long minUs = Long.MAX_VALUE;
        private long maxUs;
        private long totalUs;

        Pings(MadAccess mads, Options options, MadTarget to, int oui, PrintWriter out) {
            this.mads = mads;
            this.options = options;
            this.to = to;
            this.oui = oui;
            this.out = out;
        }

        void send(int count) {
            while (sent < count && !Thread.currentThread().isInterrupted()) {
                sent++;
                try {
                    ping();
                } catch (DiagFailure _) {
                    continue; // lost: the statistics count it
                }
                if (!options.has("flood") && sent < count) {
                    LockSupport.parkNanos(PAUSE_NS);
                }
            }
        }

        private void ping() throws DiagFailure {
            long nowNs = System.nanoTime();
            MemorySegment data = mads.vendor("ping", to, PING_CLASS, oui);
            long us = (System.nanoTime() - nowNs) / NS_PER_US;
            byte[] text = data.toArray(ValueLayout.JAVA_BYTE);
            int length = 0;
            while (length < text.length && text[length] != 0) {
                length++;
            }
            String answer = new String(text, 0, length, StandardCharsets.UTF_8);
            name = name.isEmpty() ? answer : name;
            received++;
            minUs = Math.min(minUs, us);
            maxUs = Math.max(maxUs, us);
            totalUs += us;
            if (!options.has("flood") && !options.has("json")) {
                out.println("Pong from " + answer + " (" + to + "): time " + ms(us) + " ms");
                out.flush();
            }
        }

        private static String ms(long us) {
            return "%d.%03d".formatted(us / US_PER_MS, us % US_PER_MS);
        }

        void report() {
            long least = received == 0 ? 0 : minUs;
            long average = received == 0 ? 0 : totalUs / received;
            long loss = (sent - received) * 100 / sent;
            if (options.has("json")) {
                Map<String, Object> members = new LinkedHashMap<>();
                members.put("host", name);
                members.put("transmitted", sent);
                members.put("received", received);
                members.put("minUs", least);
                members.put("avgUs", average);
                members.put("maxUs", maxUs);
                out.println(Json.text(members));
                return;
            }
            out.println();
            out.println("--- " + name + " (" + to + ") ibping statistics ---");
            out.println("%d packets transmitted, %d received, %d%% packet loss, time %d ms"
                    .formatted(sent, received, loss, (System.nanoTime() - beginNs) / NS_PER_US / US_PER_MS));
            out.println("rtt min/avg/max = %s/%s/%s ms".formatted(ms(least), ms(average), ms(maxUs)));
        }
    }
}
