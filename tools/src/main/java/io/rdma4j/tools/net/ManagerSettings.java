// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.tools.net;

import io.rdma4j.sm.PartitionParser;
import io.rdma4j.sm.RoutingEngine;
import io.rdma4j.sm.SubnetOptions;
import io.rdma4j.sm.SubnetPartition;
import io.rdma4j.tools.cli.UsageException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;

/**
 * What the user says about the subnet manager; an empty text leaves the default.
 *
 * @param host where it runs, or {@link #NONE}; the first host by default
 * @param routing routing engine, by the name that OpenSM has for it
 * @param priority among managers, 0 to 15
 * @param partitions name of a partition file
 */
record ManagerSettings(String host, String routing, String priority, String partitions) {
    /** A program manages the subnet. */
    static final String NONE = "none";

    static final String ROUTING_OPTION = "--routing-engine";
    static final String PRIORITY_OPTION = "--sm-priority";
    static final String PARTITIONS_OPTION = "--pconfig";

    private static final int MAX_PRIORITY = 15;

    /** @throws UsageException if settings are for a manager that does not run */
    ManagerSettings {
        if (host.equals(NONE) && !(routing + priority + partitions).isEmpty()) {
            throw new UsageException("'" + ROUTING_OPTION + "', '" + PRIORITY_OPTION + "' and '" + PARTITIONS_OPTION
                    + "' are for our subnet manager, which '--sm none' leaves out");
        }
    }

    boolean isEmpty() {
        return (host + routing + priority + partitions).isEmpty();
    }

    /**
     * Returns the options of the manager.
     *
     * @param portGuid of the manager
     * @throws UsageException for an unknown name, a number out of range or a file that is not there
     * @throws io.rdma4j.base.RdmaException EINVAL with line and reason if the partition file is invalid
     */
    SubnetOptions options(long portGuid) throws IOException {
        SubnetOptions options = SubnetOptions.DEFAULT.routing(engine()).priority(priorityNumber());
        if (partitions.isEmpty()) {
            return options;
        }
        String text;
        try {
            text = Files.readString(Path.of(partitions));
        } catch (NoSuchFileException e) {
            throw new UsageException("there is no partition file '" + partitions + "'");
        }
        return options.partitions(
                PartitionParser.parse(partitions, text, portGuid).toArray(SubnetPartition[]::new));
    }

    private RoutingEngine engine() {
        return switch (routing) {
            case "", "minhop" -> RoutingEngine.MIN_HOP;
            case "updn" -> RoutingEngine.UP_DOWN;
            case "ftree" -> RoutingEngine.FAT_TREE;
            case "dor" -> RoutingEngine.DIMENSION_ORDER;
            default ->
                throw new UsageException(
                        "'" + ROUTING_OPTION + "' wants minhop, updn, ftree or dor, not '" + routing + "'");
        };
    }

    private int priorityNumber() {
        try {
            int number = priority.isEmpty() ? 0 : Integer.parseInt(priority);
            if (number >= 0 && number <= MAX_PRIORITY) {
                return number;
            }
        } catch (NumberFormatException _) {
            // the message is the same
        }
        throw new UsageException("'" + PRIORITY_OPTION + "' wants a number of 0 to 15, not '" + priority + "'");
    }
}
