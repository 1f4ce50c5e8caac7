// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.tools.net;

import io.rdma4j.sm.ManagementKey;
import io.rdma4j.sm.PartitionParser;
import io.rdma4j.sm.RoutingEngine;
import io.rdma4j.sm.SubnetOptions;
import io.rdma4j.sm.SubnetPartition;
import io.rdma4j.tools.cli.UsageException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.BinaryOperator;

/**
 * What the user says about the subnet manager.
 *
 * @param host where it runs, or {@link #NONE}; empty for the first host
 * @param given the values of the options that the user gives, by option
 */
record ManagerSettings(String host, Map<String, String> given) {
    /** A program manages the subnet. */
    static final String NONE = "none";

    static final String ROUTING = "--routing-engine";
    static final String PRIORITY = "--sm-priority";
    private static final String PARTITIONS = "--pconfig";
    private static final String LMC = "--lmc";
    private static final String POLL_MS = "--sminfo-polling-timeout";
    private static final String POLL_RETRIES = "--polling-retry-number";
    private static final String KEY = "--m-key";
    private static final String PROTECT = "--m-key-protection-level";
    private static final String LEASE = "--m-key-lease-period";

    /** The options, with their short forms; most have the names of OpenSM's. */
    private static final Map<String, String> OPTIONS = Map.of(
            ROUTING, "-R",
            PRIORITY, "-p",
            PARTITIONS, "-P",
            LMC, "-l",
            POLL_MS, "",
            POLL_RETRIES, "",
            KEY, "",
            PROTECT, "",
            LEASE, "");

    /** The lines about these options in the usage of a command. */
    static final String USAGE = """
              -R, --routing-engine ENGINE  how the manager routes: minhop (default), updn, ftree or dor
              -p, --sm-priority N  priority of the manager, 0 to 15 (default: 0)
              -P, --pconfig FILE  partitions, in the syntax of OpenSM's partitions.conf
              -l, --lmc N      each port of a host has 2 to the power of N LIDs, 0 to 7 (default: 0)
              --sminfo-polling-timeout MS, --polling-retry-number N  a manager on standby polls the master so often, and
                               takes over after so many polls without an answer and one more (default: 10000, 4)
              --m-key KEY      M_Key of all ports; --m-key-protection-level 0..3, --m-key-lease-period SECONDS\
            """;

    private static final long NS_PER_MS = 1_000_000;

    /** @throws UsageException if settings are for a manager that does not run */
    ManagerSettings {
        given = Map.copyOf(given);
        if (host.equals(NONE) && !given.isEmpty()) {
            throw new UsageException(given.keySet() + ": for our subnet manager, which '--sm none' leaves out");
        }
    }

    /**
     * Takes the options out of the words of the user.
     *
     * @param take returns the value of an option and removes both, or returns its second argument
     */
    static ManagerSettings take(String host, BinaryOperator<String> take) {
        Map<String, String> given = new TreeMap<>();
        OPTIONS.forEach((option, letter) -> {
            String value = take.apply(option, letter.isEmpty() ? "" : take.apply(letter, ""));
            if (!value.isEmpty()) {
                given.put(option, value);
            }
        });
        return new ManagerSettings(host, given);
    }

    boolean isEmpty() {
        return host.isEmpty() && given.isEmpty();
    }

    /**
     * Returns the options of the manager.
     *
     * @param portGuid of the manager
     * @throws UsageException for an unknown name, a number out of range or a file that is not there
     * @throws io.rdma4j.base.RdmaException EINVAL with line and reason if the partition file is invalid
     */
    SubnetOptions options(long portGuid) throws IOException {
        SubnetOptions usual = SubnetOptions.DEFAULT;
        SubnetOptions options = usual.routing(engine())
                .priority((int) number(PRIORITY, 0, 15, usual.priority()))
                .lmc((int) number(LMC, 0, 7, usual.lmc()))
                .polling(number(POLL_MS, 1, 3_600_000, usual.pollIntervalNs() / NS_PER_MS) * NS_PER_MS, (int)
                        number(POLL_RETRIES, 0, 1000, usual.pollRetries()))
                .managementKey(new ManagementKey(
                        number(KEY, Long.MIN_VALUE, Long.MAX_VALUE, 0), (int) number(PROTECT, 0, 3, 0), (int)
                                number(LEASE, 0, 65_535, 0)));
        String partitions = given.getOrDefault(PARTITIONS, "");
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
        String routing = given.getOrDefault(ROUTING, "");
        return switch (routing) {
            case "", "minhop" -> RoutingEngine.MIN_HOP;
            case "updn" -> RoutingEngine.UP_DOWN;
            case "ftree" -> RoutingEngine.FAT_TREE;
            case "dor" -> RoutingEngine.DIMENSION_ORDER;
            default ->
                throw new UsageException("'" + ROUTING + "' wants minhop, updn, ftree or dor, not '" + routing + "'");
        };
    }

    /** A decimal number, or one of 64 bits behind 0x. */
    private long number(String option, long least, long most, long usual) {
        String text = given.get(option);
        if (text == null) {
            return usual;
        }
        try {
            long number =
                    text.startsWith("0x") ? Long.parseUnsignedLong(text, 2, text.length(), 16) : Long.parseLong(text);
            if (number >= least && number <= most) {
                return number;
            }
        } catch (NumberFormatException _) {
            // the message is the same
        }
        String range = option.equals(KEY) ? "of 64 bits" : "of " + least + " to " + most;
        throw new UsageException("'" + option + "' wants a number " + range + ", not '" + text + "'");
    }
}
