// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.ib;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdma4j.fabric.IbSwitch;
import io.rdma4j.sm.RoutingEngine;
import io.rdma4j.sm.SubnetOptions;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * The forwarding tables of the routing engines on fat trees, rings, meshes and tori, and the search for credit loops.
 */
class RoutingTest {
    private static IbManager manage(VirtualFabric fabric, SubnetOptions options) {
        IbManager manager = fabric.manage(fabric.hosts.getFirst(), options);
        fabric.runUntilUp(manager);
        assertThat(manager.isUp()).isTrue();
        return manager;
    }

    private static void assertAllPairsReach(VirtualFabric fabric) {
        for (int from = 0; from < fabric.hosts.size(); from++) {
            for (int to = 0; to < fabric.hosts.size(); to++) {
                assertThat(fabric.walk(from, fabric.lid(to)))
                        .as("from host %d to host %d", from, to)
                        .isNotEmpty();
            }
        }
    }

    @ParameterizedTest
    @EnumSource
    void allPairsReachOnAFatTreeWithoutACreditLoop(RoutingEngine engine) {
        try (VirtualFabric tree = new VirtualFabric(3, 2, 2, null);
                IbManager manager = manage(tree, SubnetOptions.DEFAULT.routing(engine))) {
            assertAllPairsReach(tree);
            assertThat(manager.creditLoop()).isEmpty();
        }
    }

    /** The four hosts of a leaf are reached from another leaf by four spines. */
    @Test
    void fatTreeSpreadsTheHostsOfALeaf() {
        try (VirtualFabric tree = new VirtualFabric(3, 4, 4, null);
                IbManager _ = manage(tree, SubnetOptions.DEFAULT.routing(RoutingEngine.FAT_TREE))) {
            for (int leaf = 1; leaf < 3; leaf++) {
                Map<IbSwitch, Integer> bySpine = new HashMap<>();
                for (int host = 4 * leaf; host < 4 * leaf + 4; host++) {
                    bySpine.merge(tree.walk(0, tree.lid(host)).get(1), 1, Integer::sum);
                }
                assertThat(bySpine).hasSize(4);
            }
        }
    }

    /** Without a wanted root the manager chooses one. */
    @ParameterizedTest
    @EnumSource(names = {"DIMENSION_ORDER", "UP_DOWN"})
    void aRingHasACreditLoopUnlessPacketsTurnAtARoot(RoutingEngine engine) {
        try (VirtualFabric ring = VirtualFabric.grid(4, 1, true);
                IbManager manager = manage(ring, SubnetOptions.DEFAULT.routing(engine))) {
            assertAllPairsReach(ring);
            if (engine == RoutingEngine.UP_DOWN) {
                assertThat(manager.creditLoop()).isEmpty();
            } else {
                assertThat(manager.creditLoop()).hasSize(4).contains("\"switch1\"[2]");
            }
        }
    }

    @Test
    void dimensionOrderIsFreeOfCreditLoopsOnAMesh() {
        try (VirtualFabric mesh = VirtualFabric.grid(3, 3, false);
                IbManager manager = manage(mesh, SubnetOptions.DEFAULT.routing(RoutingEngine.DIMENSION_ORDER))) {
            assertAllPairsReach(mesh);
            assertThat(manager.creditLoop()).isEmpty();
            assertThat(mesh.walk(0, mesh.lid(8)))
                    .isEqualTo(List.of(
                            mesh.leaves.get(0),
                            mesh.leaves.get(1),
                            mesh.leaves.get(2),
                            mesh.leaves.get(5),
                            mesh.leaves.get(8)));
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3, 4, 5, 6, 7, 8})
    void upDownReachesAllOnAnyTopologyWithoutACreditLoop(int seed) {
        SplittableRandom random = new SplittableRandom(seed);
        try (VirtualFabric fabric = VirtualFabric.random(2 + random.nextInt(12), random.nextInt(20), random);
                IbManager manager = manage(fabric, SubnetOptions.DEFAULT.routing(RoutingEngine.UP_DOWN))) {
            assertAllPairsReach(fabric);
            assertThat(manager.creditLoop()).isEmpty();
        }
    }

    @ParameterizedTest
    @EnumSource(names = {"DIMENSION_ORDER", "UP_DOWN"})
    void aTorusHasACreditLoopUnlessPacketsTurnAtARoot(RoutingEngine engine) {
        try (VirtualFabric torus = VirtualFabric.grid(4, 4, true);
                IbManager manager = manage(torus, SubnetOptions.DEFAULT.routing(engine, 0x9005L))) {
            assertAllPairsReach(torus);
            assertThat(manager.creditLoop().isEmpty()).isEqualTo(engine == RoutingEngine.UP_DOWN);
        }
    }
}
