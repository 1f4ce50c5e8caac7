// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.sm;

import io.rdma4j.base.Errno;
import io.rdma4j.base.Gid;
import io.rdma4j.base.RdmaException;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * What a subnet manager writes to the ports of its subnet, and its times.
 *
 * @param prefix upper 64 bits of the GIDs of the subnet
 * @param lmc a port of a channel adapter has 2 to the power of this many LIDs, 0..7
 * @param subnetTimeout exponent of 4.096 µs
 * @param sweepIntervalNs time between two light sweeps
 * @param responseNs time after which a request without response is repeated
 * @param tries of a request
 * @param priority of the manager, 0..15; of several managers the one with the highest priority becomes master
 * @param pollIntervalNs time between two polls of the master by a manager on standby
 * @param pollRetries polls without an answer, after the first one, before there is an election
 * @param managementKey M_Key of all ports
 * @param smKey key of trusted requesters and of other managers of the subnet, 64 bits; 0 trusts none
 * @param routing how forwarding tables are computed
 * @param rootGuids nodes that are roots for {@link RoutingEngine#UP_DOWN}; none lets the manager choose
 * @param partitions what ports are members of; with none all are full members of the default partition, which has a
 *     {@link BroadcastGroup}. Without a rule for the default partition all are limited members of it, and the manager
 *     is a full one. Switches enforce the partitions at the ports next to channel adapters.
 * @param qos tables of virtual lanes; null leaves those that the ports have
 */
public record SubnetOptions(
        long prefix,
        int lmc,
        int subnetTimeout,
        long sweepIntervalNs,
        long responseNs,
        int tries,
        int priority,
        long pollIntervalNs,
        int pollRetries,
        ManagementKey managementKey,
        long smKey,
        RoutingEngine routing,
        List<Long> rootGuids,
        List<SubnetPartition> partitions,
        @Nullable SubnetQos qos) {
    private static final int MAX_LMC = 7;
    private static final int MAX_PRIORITY = 15;
    /** The default partition has an entry of the table even without a rule. */
    private static final int MAX_PARTITIONS = 31;

    /** The values of OpenSM: one LID for each port, a sweep and a poll in 10 s, three tries of 200 ms, the key 1. */
    public static final SubnetOptions DEFAULT = new SubnetOptions(
            Gid.LINK_LOCAL_PREFIX,
            0,
            18,
            10_000_000_000L,
            200_000_000L,
            3,
            0,
            10_000_000_000L,
            4,
            ManagementKey.NONE,
            1,
            RoutingEngine.MIN_HOP,
            List.of(),
            List.of(),
            null);

    /**
     * Checks the values and copies the lists.
     *
     * @throws RdmaException EINVAL for a value out of range
     */
    public SubnetOptions {
        if (lmc < 0
                || lmc > MAX_LMC
                || priority < 0
                || priority > MAX_PRIORITY
                || pollRetries < 0
                || sweepIntervalNs < 1
                || pollIntervalNs < 1
                || responseNs < 1
                || tries < 1) {
            throw new RdmaException(
                    Errno.EINVAL,
                    "LMC is 0..7, priority 0..15, pollRetries 0 or more, intervals and tries 1 or more: lmc " + lmc
                            + ", priority " + priority + ", pollRetries " + pollRetries + ", sweepIntervalNs "
                            + sweepIntervalNs + ", pollIntervalNs " + pollIntervalNs + ", responseNs " + responseNs
                            + ", tries " + tries);
        }
        rootGuids = List.copyOf(rootGuids);
        partitions = List.copyOf(partitions);
        if (partitions.size() > MAX_PARTITIONS
                || partitions.stream().map(SubnetPartition::pkey).distinct().count() != partitions.size()) {
            throw new RdmaException(
                    Errno.EINVAL,
                    "at most " + MAX_PARTITIONS + " partitions with different P_Keys, not " + partitions.size());
        }
    }

    /** The values that a copy may change. */
    private static final class Draft {
        int lmc;
        int priority;
        long pollIntervalNs;
        int pollRetries;
        ManagementKey managementKey;
        long smKey;
        RoutingEngine routing;
        List<Long> rootGuids;
        List<SubnetPartition> partitions;

        @Nullable
        SubnetQos qos;

        Draft(SubnetOptions from) {
            lmc = from.lmc;
            priority = from.priority;
            pollIntervalNs = from.pollIntervalNs;
            pollRetries = from.pollRetries;
            managementKey = from.managementKey;
            smKey = from.smKey;
            routing = from.routing;
            rootGuids = from.rootGuids;
            partitions = from.partitions;
            qos = from.qos;
        }
    }

    private SubnetOptions with(Consumer<Draft> change) {
        Draft draft = new Draft(this);
        change.accept(draft);
        return new SubnetOptions(
                prefix,
                draft.lmc,
                subnetTimeout,
                sweepIntervalNs,
                responseNs,
                tries,
                draft.priority,
                draft.pollIntervalNs,
                draft.pollRetries,
                draft.managementKey,
                draft.smKey,
                draft.routing,
                draft.rootGuids,
                draft.partitions,
                draft.qos);
    }

    /**
     * {@return a copy with another number of LIDs}
     *
     * @param mask bits of the LID that vary, 0..7
     */
    public SubnetOptions lmc(int mask) {
        return with(draft -> draft.lmc = mask);
    }

    /**
     * {@return a copy with another priority}
     *
     * @param value 0..15
     */
    public SubnetOptions priority(int value) {
        return with(draft -> draft.priority = value);
    }

    /**
     * {@return a copy with other polls of the master} A manager on standby begins an election after {@code retries} + 1
     * polls without an answer.
     *
     * @param intervalNs {@code sminfo_polling_timeout}, at least 1
     * @param retries {@code polling_retry_number}, 0 or more
     */
    public SubnetOptions polling(long intervalNs, int retries) {
        return with(draft -> {
            draft.pollIntervalNs = intervalNs;
            draft.pollRetries = retries;
        });
    }

    /**
     * {@return a copy with another M_Key}
     *
     * @param key of all ports
     */
    public SubnetOptions managementKey(ManagementKey key) {
        return with(draft -> draft.managementKey = key);
    }

    /**
     * {@return a copy with another key}
     *
     * @param key 64 bits; 0 trusts none
     */
    public SubnetOptions smKey(long key) {
        return with(draft -> draft.smKey = key);
    }

    /**
     * {@return a copy with another routing engine}
     *
     * @param engine how forwarding tables are computed
     * @param roots nodes that are roots for {@link RoutingEngine#UP_DOWN}
     */
    public SubnetOptions routing(RoutingEngine engine, Long... roots) {
        return with(draft -> {
            draft.routing = engine;
            draft.rootGuids = List.of(roots);
        });
    }

    /**
     * {@return a copy with other partitions}
     *
     * @param rules at most 31
     */
    public SubnetOptions partitions(SubnetPartition... rules) {
        return with(draft -> draft.partitions = List.of(rules));
    }

    /**
     * {@return a copy that writes tables of virtual lanes}
     *
     * @param shares of all links
     */
    public SubnetOptions qos(SubnetQos shares) {
        return with(draft -> draft.qos = shares);
    }
}
