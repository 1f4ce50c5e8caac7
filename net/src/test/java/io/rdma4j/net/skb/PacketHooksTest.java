// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.net.skb;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdma4j.packet.SkBuff;
import io.rdma4j.packet.SkBuffPool;
import io.rdma4j.testing.fixtures.AllocatedBytes;
import io.rdma4j.testing.fixtures.Packets;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class PacketHooksTest {
    private final SkBuffPool pool = new SkBuffPool(1, 128);
    private final PacketHooks hooks = new PacketHooks();
    private final List<String> asked = new ArrayList<>();

    @AfterEach
    void nothingIsLeaked() {
        pool.close();
        assertThat(pool.leaked()).isZero();
    }

    private PacketFilter named(String name, boolean passes) {
        return (point, _, _, _) -> {
            asked.add(name + " " + point);
            return passes;
        };
    }

    @Test
    void filtersOfAPointAreAskedInTheOrderOfTheirPriorities() {
        PacketFilter late = named("late", true);
        hooks.register(HookPoint.INPUT, 10, late);
        hooks.register(HookPoint.INPUT, -5, named("early", true));
        hooks.register(HookPoint.INPUT, 10, named("last", true));
        hooks.register(HookPoint.OUTPUT, 0, named("other point", true));
        SkBuff skb = Packets.allocate(pool);
        assertThat(hooks.pass(HookPoint.INPUT, skb, null, null)).isTrue();
        assertThat(asked).containsExactly("early INPUT", "late INPUT", "last INPUT");
        asked.clear();
        hooks.unregister(HookPoint.INPUT, late);
        assertThat(hooks.pass(HookPoint.INPUT, skb, null, null)).isTrue();
        assertThat(asked).containsExactly("early INPUT", "last INPUT");
        skb.free();
    }

    @Test
    void whatOneDropsIsFreedAndShownToNobodyElse() {
        hooks.register(HookPoint.FORWARD, 0, named("dropper", false));
        hooks.register(HookPoint.FORWARD, 1, named("other", true));
        SkBuff skb = Packets.allocate(pool);
        assertThat(hooks.pass(HookPoint.FORWARD, skb, null, null)).isFalse();
        assertThat(skb.users()).isZero();
        assertThat(asked).containsExactly("dropper FORWARD");
        assertThat(hooks.isWatched(HookPoint.FORWARD)).isTrue();
        assertThat(hooks.isWatched(HookPoint.INPUT)).isFalse();
    }

    @Test
    void askingAllocatesNothing() {
        SkBuff skb = Packets.allocate(pool);
        hooks.register(HookPoint.INPUT, 0, (_, packet, _, _) -> packet.marks().mark() == 0);
        assertThat(AllocatedBytes.inSteadyState(() -> {
                    for (int i = 0; i < 10_000; i++) {
                        hooks.pass(HookPoint.INPUT, skb, null, null);
                        hooks.pass(HookPoint.OUTPUT, skb, null, null);
                    }
                }))
                .isZero();
        skb.free();
    }
}
