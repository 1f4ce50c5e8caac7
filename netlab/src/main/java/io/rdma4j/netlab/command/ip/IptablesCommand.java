// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.netlab.command.ip;

import io.rdma4j.ip.filter.FilterAction;
import io.rdma4j.ip.filter.FilterMatch;
import io.rdma4j.ip.filter.FilterRule;
import io.rdma4j.ip.filter.FilterVerdict;
import io.rdma4j.net.address.IpPrefix;
import io.rdma4j.net.skb.HookPoint;
import io.rdma4j.netlab.PacketTables;
import io.rdma4j.netlab.command.shell.ArgumentReader;
import io.rdma4j.netlab.command.shell.ShellCommand;
import io.rdma4j.netlab.command.shell.ShellSession;
import io.rdma4j.netlab.command.shell.UsageException;
import io.rdma4j.wire.ip.Icmp;
import io.rdma4j.wire.ip.Icmpv6;
import io.rdma4j.wire.ip.Ipv4;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** {@code iptables}: rules that mark, label, trace, accept or drop the IPv4 and IPv6 packets of a namespace. */
public final class IptablesCommand implements ShellCommand {
    private static final Map<String, Integer> PROTOCOLS =
            Map.of("tcp", 6, "udp", Ipv4.PROTOCOL_UDP, "icmp", Icmp.PROTOCOL, "icmpv6", Icmpv6.NEXT_HEADER);
    private static final long WORD = 0xFFFF_FFFFL;

    @Override
    public String name() {
        return "iptables";
    }

    @Override
    public String usage() {
        return """
            iptables [-t raw|mangle|filter|security] -A|-D CHAIN [MATCH...] -j TARGET
            iptables [-t TABLE] -P CHAIN ACCEPT|DROP
            iptables [-t TABLE] -F | -S
            MATCH: -i DEV | -o DEV | -p PROTOCOL | -s PREFIX | -d PREFIX | --sport P[:P] | --dport P[:P]
                 | -m mark --mark V[/MASK], "!" before one for its contrary
            TARGET: ACCEPT | DROP | MARK --set-mark V[/MASK] | SECMARK --selctx CONTEXT | TRACE\
            """;
    }

    @Override
    public int run(ShellSession session, List<String> words) {
        new Call(session, words).run();
        return 0;
    }

    /** One call of the command. */
    private static final class Call {
        private final ShellSession session;
        private final PacketTables tables;
        private final ArgumentReader arguments;
        private final List<String> ruleWords = new ArrayList<>();
        private String table = "filter";
        private String operation = "";
        private @Nullable HookPoint chain;
        private FilterMatch match = FilterMatch.all();
        private @Nullable FilterAction action;
        private FilterVerdict policy = FilterVerdict.ACCEPT;

        Call(ShellSession session, List<String> words) {
            this.session = session;
            this.tables = session.machine().tables(session.namespace());
            this.arguments = new ArgumentReader(words);
        }

        void run() {
            while (arguments.hasNext()) {
                option(arguments.next("an option"));
            }
            HookPoint at = chain;
            switch (operation) {
                case "-A" -> tables.append(table, new PacketTables.Line(wanted(at), text(), rule()));
                case "-D" -> tables.delete(table, wanted(at), text());
                case "-P" -> tables.policy(table, wanted(at), policy);
                case "-F" -> tables.flush(table);
                case "-S" ->
                    tables.lines(table)
                            .forEach(line -> session.out().println("-A " + line.chain() + " " + line.words()));
                default -> throw new UsageException("one of -A, -D, -P, -F, -S is missing");
            }
        }

        private static HookPoint wanted(@Nullable HookPoint chain) {
            if (chain == null) {
                throw new UsageException("a chain is missing");
            }
            return chain;
        }

        private String text() {
            return String.join(" ", ruleWords);
        }

        private FilterRule rule() {
            FilterAction wanted = action;
            if (wanted == null) {
                throw new UsageException("-j TARGET is missing");
            }
            return new FilterRule(match, wanted);
        }

        private void option(String word) {
            switch (word) {
                case "-t" -> table = arguments.next("a table");
                case "-A", "-D" -> {
                    operation = word;
                    chain = chain(arguments.next("a chain"));
                }
                case "-P" -> {
                    operation = word;
                    chain = chain(arguments.next("a chain"));
                    policy = policy(arguments.next("ACCEPT or DROP"));
                }
                case "-F", "-S" -> operation = word;
                case "-m" -> arguments.next("a match");
                case "-j" -> {
                    ruleWords.add(word);
                    action = action(word("a target"));
                }
                case "!" -> {
                    ruleWords.add(word);
                    match = match.and(matchOf(word("a match")).not());
                }
                default -> {
                    ruleWords.add(word);
                    match = match.and(matchOf(word));
                }
            }
        }

        /** Reads the next word and adds it to the rule's words. */
        private String word(String what) {
            String word = arguments.next(what);
            ruleWords.add(word);
            return word;
        }

        private static HookPoint chain(String name) {
            for (HookPoint point : HookPoint.values()) {
                if (point.name().equals(name)) {
                    return point;
                }
            }
            throw new UsageException("there is no chain \"" + name + "\"");
        }

        private static FilterVerdict policy(String word) {
            return switch (word) {
                case "ACCEPT" -> FilterVerdict.ACCEPT;
                case "DROP" -> FilterVerdict.DROP;
                default -> throw new UsageException("a policy is ACCEPT or DROP, not \"" + word + "\"");
            };
        }

        private FilterMatch matchOf(String option) {
            return switch (option) {
                case "-i" -> FilterMatch.in(word("a device"));
                case "-o" -> FilterMatch.out(word("a device"));
                case "-p" -> FilterMatch.protocol(protocol(word("a protocol")));
                case "-s" -> FilterMatch.source(IpPrefix.parse(word("a prefix")));
                case "-d" -> FilterMatch.destination(IpPrefix.parse(word("a prefix")));
                case "--sport" -> {
                    String[] ends = word("a port").split(":", 2);
                    yield FilterMatch.sourcePort(number(ends[0]), number(ends[ends.length - 1]));
                }
                case "--dport" -> {
                    String[] ends = word("a port").split(":", 2);
                    yield FilterMatch.destinationPort(number(ends[0]), number(ends[ends.length - 1]));
                }
                case "--mark" -> {
                    String[] halves = word("a mark").split("/", 2);
                    yield FilterMatch.mark(number(halves[0]), halves.length == 1 ? -1 : number(halves[1]));
                }
                default -> throw new UsageException("\"" + option + "\" is no match");
            };
        }

        private FilterAction action(String target) {
            return switch (target) {
                case "ACCEPT" -> FilterAction.accept();
                case "DROP" -> FilterAction.drop();
                case "TRACE" -> FilterAction.trace();
                case "MARK" -> {
                    parameter("--set-mark");
                    String[] halves = word("a mark").split("/", 2);
                    yield FilterAction.mark(number(halves[0]), halves.length == 1 ? -1 : number(halves[1]));
                }
                case "SECMARK" -> {
                    parameter("--selctx");
                    yield FilterAction.label(session.machine().contexts().label(word("a context")));
                }
                default -> throw new UsageException("target \"" + target + "\" is unknown");
            };
        }

        private void parameter(String name) {
            arguments.expect(name);
            ruleWords.add(name);
        }

        private static int protocol(String word) {
            Integer number = PROTOCOLS.get(word);
            return number == null ? number(word) : number;
        }

        /** Parses a number of 32 bits. */
        private static int number(String word) {
            try {
                long value = Long.decode(word);
                if (value >= 0 && value <= WORD) {
                    return (int) value;
                }
            } catch (NumberFormatException e) {
                throw new UsageException("\"" + word + "\" is no number");
            }
            throw new UsageException(word + " does not fit in 32 bits");
        }
    }
}
