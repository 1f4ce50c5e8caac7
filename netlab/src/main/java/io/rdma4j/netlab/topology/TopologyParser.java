// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.netlab.topology;

import io.rdma4j.base.Errno;
import io.rdma4j.base.RdmaException;
import io.rdma4j.netlab.topology.Topology.Command;
import io.rdma4j.netlab.topology.Topology.End;
import io.rdma4j.netlab.topology.Topology.Kind;
import io.rdma4j.netlab.topology.Topology.Link;
import io.rdma4j.netlab.topology.Topology.Machine;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Parses a topology file line by line:
 *
 * <pre>{@code
 * host a                                       # a machine; # begins a comment
 * host b
 * switch s
 * link a/eth0 s delay 10us loss 1% rate 10gbit # for each direction; words of tc netem
 * link b/eth0 s mtu 4200
 * a: ip addr add 10.0.0.1/24 dev eth0          # a command on a host, in the words of iproute2
 * a: rdma link add rxe0 type rxe netdev eth0
 * }</pre>
 *
 * <p>The devices of all links exist and are up before the first command runs.
 */
public final class TopologyParser {
    private final String source;
    private final Map<String, Machine> machines = new LinkedHashMap<>();
    private final Map<String, Integer> ports = new HashMap<>();
    private final Set<End> ends = new HashSet<>();
    private final List<Link> links = new ArrayList<>();
    private final List<Command> commands = new ArrayList<>();
    private int line;

    private TopologyParser(String source) {
        this.source = source;
    }

    /**
     * Parses a complete file.
     *
     * @param source name of the file in messages
     * @param text content of the file
     * @return the network that the file describes
     * @throws RdmaException EINVAL for an invalid line; the message names source and line
     */
    public static Topology parse(String source, String text) {
        TopologyParser parser = new TopologyParser(source);
        text.lines().forEach(parser::parseLine);
        return new Topology(List.copyOf(parser.machines.values()), parser.links, parser.commands);
    }

    private void parseLine(String text) {
        line++;
        List<String> words;
        try {
            words = ConfigWords.split(text);
        } catch (IllegalArgumentException e) {
            throw wrong(e.getMessage());
        }
        if (words.isEmpty()) {
            return;
        }
        String first = words.getFirst();
        if (first.endsWith(":")) {
            parseCommand(first.substring(0, first.length() - 1), words.subList(1, words.size()));
            return;
        }
        switch (first) {
            case "host" -> addMachine(words, Kind.HOST);
            case "switch" -> addMachine(words, Kind.SWITCH);
            case "link" -> parseLink(words);
            default ->
                throw wrong("\"" + first + "\" is neither host, switch, link nor the name of a host with a colon");
        }
    }

    private void addMachine(List<String> words, Kind kind) {
        if (words.size() != 2) {
            throw wrong("a " + words.getFirst() + " has a name and nothing else");
        }
        String name = words.get(1);
        if (!name.matches("[A-Za-z0-9_.-]+")) {
            throw wrong("\"" + name + "\" is no name: letters, digits, '_', '.' and '-'");
        }
        if (machines.putIfAbsent(name, new Machine(name, kind)) != null) {
            throw wrong("there is a \"" + name + "\" already");
        }
    }

    private void parseCommand(String host, List<String> words) {
        if (machine(host).kind() != Kind.HOST) {
            throw wrong(host + " is a switch, which runs no commands");
        }
        if (words.isEmpty()) {
            throw wrong("a command is missing behind \"" + host + ":\"");
        }
        commands.add(new Command(host, words, line));
    }

    private void parseLink(List<String> words) {
        if (words.size() < 3) {
            throw wrong("a link has two ends: HOST/DEVICE or SWITCH");
        }
        End first = parseEnd(words.get(1));
        End second = parseEnd(words.get(2));
        if (first.machine().equals(second.machine()) && machine(first.machine()).kind() == Kind.SWITCH) {
            throw wrong("a link from " + first.machine() + " to itself would carry a broadcast round for ever");
        }
        try {
            links.add(new Link(first, second, LinkWords.parse(words.subList(3, words.size()))));
        } catch (IllegalArgumentException e) {
            throw wrong(e.getMessage());
        }
    }

    private End parseEnd(String text) {
        int slash = text.indexOf('/');
        Machine machine = machine(slash < 0 ? text : text.substring(0, slash));
        if (machine.kind() == Kind.SWITCH) {
            if (slash >= 0) {
                throw wrong("the ports of the switch " + machine.name() + " have no names: write \"" + machine.name()
                        + "\" alone");
            }
            int port = ports.merge(machine.name(), 1, Integer::sum) - 1;
            return new End(machine.name(), "port" + port);
        }
        if (slash < 0 || slash == text.length() - 1) {
            throw wrong("a link ends at a device of the host " + machine.name() + ": write \"" + machine.name()
                    + "/eth0\"");
        }
        End end = new End(machine.name(), text.substring(slash + 1));
        if (!ends.add(end)) {
            throw wrong(end + " has a link already");
        }
        return end;
    }

    private Machine machine(String name) {
        Machine found = machines.get(name);
        if (found == null) {
            throw wrong("there is no host or switch \"" + name + "\" in the lines above");
        }
        return found;
    }

    private RdmaException wrong(@Nullable String reason) {
        return new RdmaException(Errno.EINVAL, source + ":" + line + ": " + reason);
    }
}
