// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.rdma4j.base.Errno;
import io.rdma4j.base.RdmaException;
import io.rdma4j.netlab.Machine;
import io.rdma4j.testing.endpoint.QpPair;
import io.rdma4j.verbs.Context;
import java.time.Duration;
import java.util.HashSet;
import java.util.Set;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@RdmaFabric(hosts = 3, loss = 0.02, seed = 7)
class RdmaFabricTest {
    private static final Set<Context> USED = new HashSet<>();

    private final Set<Context> seenBefore = new HashSet<>();

    @BeforeEach
    void parametersAreForPreparationsToo(@OnHost(0) Context context) {
        seenBefore.add(context);
    }

    @Test
    void theTestGetsWhatItAsksFor(
            Fabric fabric,
            @OnHost(1) RdmaHost host,
            @OnHost(2) Context context,
            @OnHost(name = "host0") Machine machine,
            @OnHost(name = "host0") RdmaHost first) {
        assertThat(fabric.hosts()).extracting(RdmaHost::name).containsExactly("host0", "host1", "host2");
        assertThat(fabric.seed()).isEqualTo(7);
        assertThat(host).isSameAs(fabric.host(1)).isSameAs(fabric.host("host1"));
        assertThat(host.index()).isEqualTo(1);
        assertThat(host.gid()).hasToString("::ffff:10.0.0.2");
        assertThat(context).isSameAs(fabric.host(2).context());
        assertThat(machine).isSameAs(first.machine()).isSameAs(fabric.network().machine("host0"));
        assertThat(seenBefore).containsExactly(first.context());
    }

    @Test
    void packetsAreLostAndAllDataArrives(Fabric fabric, QpPair pair) {
        Transfers.run(pair, 100);

        assertThat(fabric.host(0).link().lost() + fabric.host(1).link().lost()).isPositive();
        assertThat(fabric.host(0).retransmissions()).isPositive();
        assertThat(fabric.retransmissions())
                .isGreaterThanOrEqualTo(fabric.host(0).retransmissions());
    }

    @RepeatedTest(2)
    void eachTestHasItsOwnFabric(@OnHost(0) Context context) {
        assertThat(USED.add(context)).isTrue();
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2})
    void argumentsAndFabricsGoTogether(int peer, Fabric fabric) {
        Transfers.run(fabric.connect(0, peer), 3);
    }

    @Test
    @RdmaFabric(hosts = 1, seed = 11)
    void theAnnotationOfAMethodCounts(Fabric fabric) {
        assertThat(fabric.hosts()).hasSize(1);
        assertThat(fabric.seed()).isEqualTo(11);
        assertThat(fabric.host(0).link().profile().loss()).isZero();
        assertThatExceptionOfType(RdmaException.class)
                .isThrownBy(() -> fabric.host(1))
                .withMessageContaining("there is no host 1: the fabric has [host0]")
                .satisfies(e -> assertThat(e.errno()).isEqualTo(Errno.ENOENT));
        assertThatExceptionOfType(RdmaException.class)
                .isThrownBy(() -> fabric.host("host7"))
                .withMessageContaining("no host \"host7\"");
    }

    @Nested
    class InAnInnerClass {
        @Test
        void theAnnotationOfTheOuterClassCounts(Fabric fabric) {
            assertThat(fabric.hosts()).hasSize(3);
        }
    }

    @Nested
    @RdmaFabric(link = "delay 3us loss 1% mtu 1500", seed = 12)
    class InAnInnerClassOfItsOwn {
        @Test
        void theAnnotationOfTheInnerClassCounts(Fabric fabric) {
            assertThat(fabric.hosts()).hasSize(2);
            assertThat(fabric.host(0).link().profile())
                    .satisfies(profile -> assertThat(profile.latencyNs()).isEqualTo(3000))
                    .satisfies(profile -> assertThat(profile.loss()).isEqualTo(0.01))
                    .satisfies(profile -> assertThat(profile.mtuBytes()).isEqualTo(1500));
        }
    }

    @Test
    @RdmaFabric(hosts = 3)
    void aPartitionSeparatesTwoHostsOnly(Fabric fabric) {
        QpPair separated = fabric.connect(0, 1);
        QpPair connected = fabric.connect(0, 2);
        Transfers.run(separated, 1);

        fabric.partition(0, 1);
        separated.b().postReceive(1, 0, 100);
        separated.a().postSend(1, 0, 100);
        Transfers.run(connected, 5);
        fabric.pass(Duration.ofMillis(20));
        assertThat(separated.b().receiveCq.poll(1)).isEmpty();
        assertThat(separated.a().sendCq.poll(1)).isEmpty();

        fabric.heal(0, 1);
        fabric.heal(0, 1);
        assertThat(separated.b().awaitReceive().wrId()).isEqualTo(1);
        separated.a().awaitSend();
        assertThat(fabric.host(0).retransmissions()).isPositive();
    }

    @Test
    @RdmaFabric
    void aTestChangesTheNetwork(Fabric fabric, QpPair pair) {
        fabric.links(link -> {
            link.loss(0.01);
            link.duplication(0.05);
            link.corruption(0.01);
            link.reordering(0.05, Duration.ofNanos(50_000));
            link.delay(Duration.ofNanos(20_000));
        });
        Transfers.run(pair, 60);

        assertThat(fabric.host(0).link().stats()).asString().doesNotContain(" 0 duplicated", " 0 delayed");
        assertThat(fabric.host(0).link().profile().latencyNs()).isEqualTo(20_000);
    }

    @Test
    @RdmaFabric(topology = TWO_LINKS)
    void aTopologyTakesThePlaceOfTheHosts(Fabric fabric, QpPair pair) {
        assertThat(fabric.hosts()).extracting(RdmaHost::name).containsExactly("left", "right");
        Transfers.run(pair, 5);
        assertThatExceptionOfType(IllegalStateException.class)
                .isThrownBy(() -> fabric.host("right").link().loss(0.1))
                .withMessageContaining("the link of right has no faults that can be changed");
    }

    private static final String TWO_LINKS = """
            host left
            host right
            switch between
            link left/eth0 between mtu 4200 delay 1us
            link right/eth0 between mtu 4200
            left: ip addr add 10.1.0.1/24 dev eth0
            left: rdma link add rxe0 type rxe netdev eth0
            right: ip addr add 10.1.0.2/24 dev eth0
            right: rdma link add rxe0 type rxe netdev eth0
            """;
}
