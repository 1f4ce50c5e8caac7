// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.netlab.topology;

import io.rdma4j.links.LinkProfile;
import java.util.List;

/**
 * A network as a topology file describes it. Immutable.
 *
 * @param machines machines in the order of the file
 * @param links links between these machines
 * @param commands commands in the order of the file, each for one of these machines
 */
public record Topology(List<Machine> machines, List<Link> links, List<Command> commands) {
    /** Copies the lists. */
    public Topology {
        machines = List.copyOf(machines);
        links = List.copyOf(links);
        commands = List.copyOf(commands);
    }

    /** Purpose of a machine. */
    public enum Kind {
        /** Has a network stack; programs run on it. */
        HOST,
        /** Only forwards frames between its links. */
        SWITCH
    }

    /**
     * A machine.
     *
     * @param name name in links and commands
     * @param kind purpose of the machine
     */
    public record Machine(String name, Kind kind) {}

    /**
     * One end of a link.
     *
     * @param machine name of the machine
     * @param device name of a host's device; for a switch, {@code port} and the port's number
     */
    public record End(String machine, String device) {
        @Override
        public String toString() {
            return machine + "/" + device;
        }
    }

    /**
     * A link between two devices.
     *
     * @param first one end
     * @param second the other end, which may belong to the same machine
     * @param profile MTU, and effects on packets in each direction
     */
    public record Link(End first, End second, LinkProfile profile) {}

    /**
     * A command that runs on a host after all links are created.
     *
     * @param host name of the machine
     * @param words words of the command, such as {@code ip link set eth0 up}
     * @param line line number in the file, from 1, for messages
     */
    public record Command(String host, List<String> words, int line) {
        /** Copies the list. */
        public Command {
            words = List.copyOf(words);
        }
    }
}
