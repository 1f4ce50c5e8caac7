// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.tools.perftest;

import io.rdma4j.tools.cli.Option;
import io.rdma4j.tools.cli.Options;
import io.rdma4j.tools.cli.UsageException;
import io.rdma4j.tools.peer.Rendezvous;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/** Names of the options of a performance test, as in perftest, with a line of help for each. */
final class PerfOptionList {
    /** Options of perftest that this tool rejects, with an alternative. */
    private static final Map<Option, String> REFUSED = refused();

    private final PerfTest test;

    PerfOptionList(PerfTest test) {
        this.test = test;
    }

    private static Map<Option, String> refused() {
        Map<Option, String> refused = new LinkedHashMap<>();
        refused.put(Option.flag('O', "dualport", "refused: two ports"), "a device has one port; leave it out");
        refused.put(
                Option.flag(Option.NO_LETTER, "odp", "refused: on demand paging"),
                "memory of these tests is paged in when it is filled; leave it out");
        return refused;
    }

    /** All options of the test: supported ones, then rejected ones. */
    Option[] options() {
        List<Option> options = new ArrayList<>(common());
        if (test.verb() != Verb.ATOMIC) {
            options.add(Option.flag('a', "all", "run sizes from 2 to 2^23"));
            options.add(Option.value(
                    's', "size", "size", "size of message to exchange (default " + test.defaultSize() + ")"));
        } else {
            options.add(
                    Option.value('A', "atomic_type", "type", "CMP_AND_SWAP or FETCH_AND_ADD (default FETCH_AND_ADD)"));
        }
        if (test.verb().isAnswered()) {
            options.add(
                    Option.value('o', "outs", "num", "reads and atomics outstanding (default what both devices can)"));
        } else {
            options.add(Option.value('I', "inline_size", "size", "largest message to be sent inline"));
        }
        if (test.verb() == Verb.SEND || test.verb() == Verb.WRITE) {
            options.add(Option.value('r', "rx-depth", "dep", "receive queue size (default " + PerfTest.RECEIVES + ")"));
        }
        options.addAll(ofVerb());
        if (test.moderatesCompletions()) {
            options.add(
                    Option.value('t', "tx-depth", "dep", "size of tx queue (default " + test.defaultTxDepth() + ")"));
            options.add(Option.value(
                    'Q',
                    "cq-mod",
                    "num",
                    "a completion for every so many sends (default 100, at most the size of the tx queue)"));
        }
        if (!test.isLatency()) {
            options.addAll(ofBandwidth());
        } else {
            options.addAll(ofLatency());
        }
        if (test.verb() == Verb.SEND || !test.isPingPong()) {
            options.add(Option.flag('e', "events", "sleep on CQ events (default poll)"));
        }
        options.addAll(ofCm());
        options.addAll(REFUSED.keySet());
        return options.toArray(Option[]::new);
    }

    private static List<Option> ofCm() {
        return List.of(
                Option.flag('R', "rdma_cm", "connect the QPs with rdma_cm, and exchange over it"),
                Option.flag('z', "comm_rdma_cm", "exchange over a connection of rdma_cm, with other QPs for the test"),
                Option.value('T', "tos", "tos", "type of service of the QPs of rdma_cm; with -R"));
    }

    private List<Option> ofVerb() {
        List<Option> options = new ArrayList<>();
        if (test.verb() == Verb.SEND) {
            options.add(Option.flag('g', "mcg", "send to a multicast group; with -c UD"));
            options.add(Option.value('M', "MGID", "gid", "the group (default one of this test's own)"));
            options.add(Option.flag(Option.NO_LETTER, "use-srq", "receive from a shared receive queue"));
            options.add(Option.flag(Option.NO_LETTER, "send_with_imm", "send with immediate data"));
        }
        if (test.verb() == Verb.WRITE) {
            options.add(Option.flag(Option.NO_LETTER, "write_with_imm", "write with immediate data"));
        }
        if (!test.isLatency() && !test.verb().isAnswered()) {
            options.add(Option.value(
                    Option.NO_LETTER, "recv_post_list", "size", "post lists of receives of this size (default 1)"));
        }
        if (!test.isLatency() && (test.verb() == Verb.WRITE || test.verb() == Verb.READ)) {
            options.add(
                    Option.flag(Option.NO_LETTER, "data_validation", "compare the bytes with those that were sent"));
        }
        return options;
    }

    private static List<Option> ofLatency() {
        return List.of(
                Option.flag('H', "report-histogram", "print all times, sorted"),
                Option.flag('U', "report-unsorted", "print all times in the order of the messages"),
                Option.flag('C', "report-cycles", "those in nanoseconds, the cycles of the clock here"),
                Option.value(Option.NO_LETTER, "latency_gap", "usec", "wait so long before each message"));
    }

    /** @throws UsageException if a rejected option is given */
    void refuse(Options given) {
        REFUSED.forEach((option, instead) -> {
            if (given.has(option.name())) {
                throw new UsageException("--" + option.name() + " is not supported: " + instead);
            }
        });
    }

    private List<Option> common() {
        String services = test.verb().services().stream().map(Verb::name).collect(Collectors.joining("/"));
        return List.of(
                Option.value(
                        'p',
                        "port",
                        "port",
                        "listen on/connect to port <port> (default " + Rendezvous.DEFAULT_PORT + ")"),
                Option.value('d', "ib-dev", "dev", "use IB device <dev> (default first device found)"),
                Option.value(
                        Option.NO_LETTER,
                        "device",
                        "dev",
                        "the same, or <name>=udp:<address>[:<port>] to make a device"),
                Option.value('i', "ib-port", "port", "use port <port> of IB device (default 1)"),
                Option.value(
                        'x',
                        "gid-index",
                        "index",
                        "use GID of this index (default: of the address that the peer is reached from)"),
                Option.flag(Option.NO_LETTER, "ipv6", "use the first IPv6 GID"),
                Option.value(Option.NO_LETTER, "pkey_index", "index", "use P_Key of this index (default 0)"),
                Option.value(Option.NO_LETTER, "bind_source_ip", "address", "address of this end of the TCP exchange"),
                Option.value(Option.NO_LETTER, "source_ip", "address", "the same"),
                Option.value(
                        Option.NO_LETTER,
                        "retry_count",
                        "num",
                        "retries of a packet that is not acknowledged (default 7)"),
                Option.value('c', "connection", services, "connection type (default RC)"),
                Option.value('m', "mtu", "mtu", "256 - 4096 (default port mtu)"),
                Option.value(
                        'n',
                        "iters",
                        "iters",
                        "number of exchanges (at least " + PerfOptionTable.MIN_ITERATIONS + ", default "
                                + test.defaultIterations() + ")"),
                Option.value('D', "duration", "sec", "run for so many seconds instead"),
                Option.value(
                        'f', "margin", "sec", "of a duration that are not measured, at both ends (default a quarter)"),
                Option.value('S', "sl", "sl", "service level (default 0)"),
                Option.value(Option.NO_LETTER, "tclass", "value", "traffic class (default 0)"),
                Option.value('u', "qp-timeout", "timeout", "ACK timeout, 4 usec * 2^timeout (default 14)"),
                Option.flag('F', "CPU-freq", "accepted: nothing is said of CPU frequencies"),
                Option.value(
                        Option.NO_LETTER,
                        "output",
                        "unit",
                        test.isLatency()
                                ? "print the average latency alone: latency"
                                : "print one figure alone: bandwidth or message_rate"),
                Option.flag(Option.NO_LETTER, "cpu_util", "print how busy the CPUs were; with --duration"),
                Option.flag('V', "version", "print the version and exit"),
                Option.JSON,
                Option.flag(Option.NO_LETTER, "out_json", "write that document to perftest_out.json"),
                Option.value(Option.NO_LETTER, "out_json_file", "file", "write that document to this file"),
                Option.value(Option.NO_LETTER, "report", "file", "write a page with a plot (HTML)"));
    }

    private List<Option> ofBandwidth() {
        List<Option> options = new ArrayList<>(List.of(
                Option.flag('b', "bidirectional", "measure both directions at once"),
                Option.value('q', "qp", "num", "number of QPs (default 1)"),
                Option.value('l', "post_list", "size", "post lists of send requests of this size (default 1)"),
                Option.flag(
                        'N',
                        "noPeak",
                        "do not look for the peak (default: up to " + PerfOptionTable.PEAK_MESSAGES + " messages)"),
                Option.flag(Option.NO_LETTER, "report-both", "print both directions separately; with -b"),
                Option.flag(Option.NO_LETTER, "reversed", "the server sends to the client"),
                Option.flag(
                        Option.NO_LETTER,
                        "run_infinitely",
                        "run until the process is ended, print a row each <duration> seconds (default 5)"),
                Option.value(Option.NO_LETTER, "wait_destroy", "sec", "wait so long before resources are destroyed"),
                Option.value(Option.NO_LETTER, "rate_limit", "rate", "send no faster than this"),
                Option.value(
                        Option.NO_LETTER, "rate_units", "unit", "M (MiB/s), g (Gbit/s, default) or p (messages/s)"),
                Option.value(
                        Option.NO_LETTER,
                        "rate_limit_type",
                        "type",
                        "HW (by the device, default) or SW (by the program)"),
                Option.value(
                        Option.NO_LETTER,
                        "burst_size",
                        "num",
                        "messages that leave together under SW (default tx depth)"),
                Option.flag(Option.NO_LETTER, "report_gbits", "report Gbit/s instead of MiB/s"),
                Option.value('w', "limit_bw", "value", "fail if the bandwidth is lower"),
                Option.value('y', "limit_msgrate", "value", "fail if the message rate is lower")));
        if (test.verb() != Verb.SEND) {
            options.add(Option.flag(Option.NO_LETTER, "perform_warm_up", "send some messages before measuring"));
        }
        return options;
    }
}
