package io.rdma4j.control.topology;

import io.rdma4j.net.link.LinkProfile;
import java.util.List;

/**
 * A network, as a file describes it; immutable.
 *
 * @param machines in the order of the file
 * @param links between machines that are listed
 * @param commands in the order of the file, each for a machine that is listed
 */
public record Topology(List<Machine> machines, List<Link> links, List<Command> commands) {
    /** Copies the lists. */
    public Topology {
        machines = List.copyOf(machines);
        links = List.copyOf(links);
        commands = List.copyOf(commands);
    }

    /** What a machine is there for. */
    public enum Kind {
        /** Has a network stack, and programs run on it. */
        HOST,
        /** Forwards frames between its links, and does nothing else. */
        SWITCH
    }

    /**
     * A machine.
     *
     * @param name by which links and commands call it
     * @param kind what it does with packets
     */
    public record Machine(String name, Kind kind) {}

    /**
     * One end of a link.
     *
     * @param machine its name
     * @param device of a host; of a switch, a port that is named by its place
     */
    public record End(String machine, String device) {
        @Override
        public String toString() {
            return machine + "/" + device;
        }
    }

    /**
     * A cable.
     *
     * @param first one end
     * @param second the other; may be of the same machine
     * @param profile what each of its directions does to packets, and its MTU
     */
    public record Link(End first, End second, LinkProfile profile) {}

    /**
     * What is to be done on a host when all links are there.
     *
     * @param host name of the machine
     * @param words such as {@code ip link set eth0 up}
     * @param line of the file, from 1, for messages
     */
    public record Command(String host, List<String> words, int line) {
        /** Copies the list. */
        public Command {
            words = List.copyOf(words);
        }
    }
}
