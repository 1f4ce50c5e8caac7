// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.ib;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdma4j.fabric.IbLink;
import io.rdma4j.sm.SubnetOptions;
import io.rdma4j.verbs.device.PortState;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What changes while a subnet is managed, in virtual time: it comes to rest with right tables. */
class SubnetChangeTest {
    private static final long SECOND_NS = 1_000_000_000;
    private static final long MICROSECOND_NS = 1_000;
    private static final int SWITCHES = 5;

    private final VirtualFabric tree = new VirtualFabric(3, 2, 2, null);
    private IbManager manager = tree.manage(tree.hosts.getFirst(), SubnetOptions.DEFAULT);

    @AfterEach
    void close() {
        manager.close();
        tree.close();
    }

    private void plug(String link, boolean isPlugged) {
        IbLink cable = tree.link(link);
        tree.fabric.exclusively(() -> {
            if (isPlugged) {
                cable.plug();
            } else {
                cable.unplug();
            }
        });
    }

    private List<Integer> configuration() {
        List<Integer> all = new ArrayList<>();
        tree.hosts.forEach(host -> all.add(host.lid()));
        for (int lid = 1; lid <= tree.hosts.size() + SWITCHES; lid++) {
            for (int i = 0; i < tree.leaves.size(); i++) {
                all.add(tree.leaves.get(i).tables().linear(lid));
            }
            for (int i = 0; i < tree.spines.size(); i++) {
                all.add(tree.spines.get(i).tables().linear(lid));
            }
        }
        return all;
    }

    private void assertAllPairsReach() {
        assertThat(manager.isUp()).isTrue();
        assertThat(tree.hosts)
                .allSatisfy(host -> assertThat(host.port().state()).isEqualTo(PortState.ACTIVE));
        for (int from = 0; from < tree.hosts.size(); from++) {
            for (int to = 0; to < tree.hosts.size(); to++) {
                assertThat(tree.walk(from, tree.lid(to)))
                        .as("from host %d to host %d", from, to)
                        .isNotEmpty();
            }
        }
    }

    @Test
    void aManagerThatStartsAgainChangesNothing() {
        tree.runUntilUp(manager);
        List<Integer> before = configuration();
        manager.close();
        tree.run(SECOND_NS);
        manager = tree.manage(tree.hosts.getFirst(), SubnetOptions.DEFAULT);
        tree.runUntilUp(manager);
        assertThat(configuration()).isEqualTo(before);
        assertAllPairsReach();
    }

    /** Ten losses of a link in half a second: each change causes at most one sweep. */
    @Test
    void aLinkThatComesAndGoesCausesFewSweeps() {
        tree.runUntilUp(manager);
        for (int i = 0; i < 20; i++) {
            plug("ib5", i % 2 == 1);
            tree.run(SECOND_NS / 40);
        }
        tree.run(20 * SECOND_NS);
        assertThat(manager.sweeps()).isLessThanOrEqualTo(1 + 20 + 2);
        assertAllPairsReach();
    }

    /** A link is lost at some time within the first sweep, and comes back within another one. */
    @ParameterizedTest
    @ValueSource(ints = {60, 200, 500})
    void aChangeWithinASweepIsFoundByTheNextOne(int microseconds) {
        tree.run(microseconds * MICROSECOND_NS);
        plug("leaf1-spine0", false);
        tree.run(30 * SECOND_NS);
        assertAllPairsReach();
        plug("leaf1-spine0", true);
        tree.run(microseconds * MICROSECOND_NS);
        plug("leaf2-spine1", false);
        tree.run(30 * SECOND_NS);
        assertAllPairsReach();
    }

    /** Links between switches at random; each leaf keeps one. */
    @Test
    void afterManyChangesTheTablesAreRight() {
        tree.runUntilUp(manager);
        SplittableRandom random = new SplittableRandom(5);
        for (int i = 0; i < 100; i++) {
            plug("leaf" + random.nextInt(tree.leaves.size()) + "-spine0", random.nextBoolean());
            tree.run(random.nextLong(SECOND_NS / 100));
        }
        tree.run(30 * SECOND_NS);
        assertAllPairsReach();
        assertThat(manager.creditLoop()).isEmpty();
    }
}
