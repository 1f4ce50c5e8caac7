// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.testkit;

import io.rdma4j.base.Errno;
import io.rdma4j.base.RdmaException;
import io.rdma4j.netlab.topology.Topology;
import io.rdma4j.netlab.topology.TopologyParser;

/**
 * Parameters of a {@link Fabric}; immutable.
 *
 * @param hosts number of hosts, 1 to 200; ignored if there is a topology
 * @param link properties of what each host sends, in the words of {@code tc netem}; ignored if there is a topology
 * @param topology text of a topology, or empty
 * @param seed seed of the faults
 * @param virtualTime whether time is virtual
 */
public record FabricSetup(int hosts, String link, String topology, long seed, boolean virtualTime) {
    private static final int MAX_HOSTS = 200;

    /** Precede the words of the setup, which override them. */
    private static final String USUAL_LINK = "mtu 4200 delay 10us ";

    /**
     * Checks the number of hosts.
     *
     * @throws RdmaException EINVAL if it is out of range
     */
    public FabricSetup {
        if (hosts < 1 || hosts > MAX_HOSTS) {
            throw new RdmaException(Errno.EINVAL, "hosts " + hosts + ": 1 to " + MAX_HOSTS + " are possible");
        }
    }

    /**
     * {@return a fabric without faults, seed 1, in real time}
     *
     * @param hosts number of hosts, 1 to 200
     */
    public static FabricSetup ofHosts(int hosts) {
        return new FabricSetup(hosts, "", "", 1, false);
    }

    /**
     * {@return a copy with other properties of the links}
     *
     * @param words the words of {@code tc netem}
     */
    public FabricSetup link(String words) {
        return new FabricSetup(hosts, words, topology, seed, virtualTime);
    }

    /**
     * {@return a copy with a topology}
     *
     * @param text in the format of {@link TopologyParser}
     */
    public FabricSetup topology(String text) {
        return new FabricSetup(hosts, link, text, seed, virtualTime);
    }

    /**
     * {@return a copy with another seed}
     *
     * @param other the new seed
     */
    public FabricSetup seed(long other) {
        return new FabricSetup(hosts, link, topology, other, virtualTime);
    }

    /**
     * {@return a copy with virtual or real time}
     *
     * @param virtual true for virtual time
     */
    public FabricSetup virtualTime(boolean virtual) {
        return new FabricSetup(hosts, link, topology, seed, virtual);
    }

    /** True if the hosts are behind one switch, as {@link #hosts} and {@link #link} say. */
    boolean isStar() {
        return topology.isBlank();
    }

    /** The machines, links and commands. */
    Topology parse() {
        return TopologyParser.parse("topology", isStar() ? star() : topology);
    }

    private String star() {
        StringBuilder text = new StringBuilder("switch switch\n");
        for (int i = 0; i < hosts; i++) {
            String name = "host" + i;
            text.append("host ").append(name).append('\n');
            text.append("link ")
                    .append(name)
                    .append("/eth0 switch ")
                    .append(USUAL_LINK)
                    .append(link)
                    .append('\n');
            text.append(name).append(": ip addr add 10.0.0.").append(i + 1).append("/24 dev eth0\n");
            text.append(name).append(": rdma link add rxe0 type rxe netdev eth0\n");
        }
        return text.toString();
    }
}
