// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.testing.conformance.qp;

import static io.rdma4j.testing.conformance.harness.Refusals.assertRefused;
import static org.assertj.core.api.Assertions.assertThat;

import io.rdma4j.base.Errno;
import io.rdma4j.testing.conformance.harness.ConformanceCases;
import io.rdma4j.testing.conformance.harness.ConformanceTarget;
import io.rdma4j.testing.endpoint.Endpoint;
import io.rdma4j.testing.endpoint.EndpointSetup;
import io.rdma4j.testing.endpoint.LinkSetup;
import io.rdma4j.testing.endpoint.Paths;
import io.rdma4j.testing.endpoint.QpPair;
import io.rdma4j.testing.ledger.Covers;
import io.rdma4j.verbs.AsyncEvent;
import io.rdma4j.verbs.device.DeviceCapability;
import io.rdma4j.verbs.values.AlternatePath;
import io.rdma4j.verbs.values.EventType;
import io.rdma4j.verbs.values.GlobalRoute;
import io.rdma4j.verbs.values.MigrationState;
import io.rdma4j.verbs.values.QpAttributes;
import io.rdma4j.verbs.values.QpState;
import io.rdma4j.verbs.values.QpType;
import java.util.function.Supplier;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Cases for automatic path migration (IBA 17.2.8) to a path with another flow label, so that one address suffices. */
public abstract class PathMigrationCases extends ConformanceCases {
    private static final int FLOW_LABEL = 0x12345;
    private static final int ALTERNATE_TIMEOUT = 15;

    protected PathMigrationCases(Supplier<? extends ConformanceTarget> opener) {
        super(opener);
    }

    @BeforeEach
    void prepare() {
        require(DeviceCapability.AUTO_PATH_MIG);
    }

    private AlternatePath alternate(Endpoint peer) {
        GlobalRoute route = new GlobalRoute(peer.gid(), FLOW_LABEL, target().gidIndex(), 64, 0);
        return new AlternatePath(Paths.to(target(), peer.context, route), 0, target().port(), ALTERNATE_TIMEOUT);
    }

    private void rearm(Endpoint endpoint, Endpoint peer) {
        endpoint.qp.modify(QpAttributes.builder()
                .alternatePath(alternate(peer))
                .migrationState(MigrationState.REARM)
                .build());
    }

    private static void set(Endpoint endpoint, MigrationState state) {
        endpoint.qp.modify(QpAttributes.builder().migrationState(state).build());
    }

    private static MigrationState state(Endpoint endpoint) {
        return endpoint.qp.query().migrationState();
    }

    private static void exchange(Endpoint from, Endpoint to) {
        to.postReceive(1, 0, 64);
        from.postSend(2, 0, 64);
        from.awaitSend();
        to.awaitReceive();
    }

    private static void exchange(QpPair pair) {
        exchange(pair.a(), pair.b());
        exchange(pair.b(), pair.a());
    }

    private QpPair armed(QpType type) {
        QpPair pair = connected(EndpointSetup.DEFAULT.type(type), LinkSetup.DEFAULT);
        assertThat(state(pair.a())).isEqualTo(MigrationState.MIGRATED);
        rearm(pair.a(), pair.b());
        assertThat(state(pair.a())).isEqualTo(MigrationState.REARM);
        rearm(pair.b(), pair.a());
        exchange(pair);
        assertThat(state(pair.a())).isEqualTo(MigrationState.ARMED);
        assertThat(state(pair.b())).isEqualTo(MigrationState.ARMED);
        return pair;
    }

    private void assertMigrated(Endpoint endpoint, Endpoint peer) {
        AsyncEvent event = awaitEvent(endpoint, EventType.PATH_MIG);
        assertThat(event.queuePair()).isSameAs(endpoint.qp);
        QpAttributes now = endpoint.qp.query();
        assertThat(now.state()).isEqualTo(QpState.RTS);
        assertThat(now.migrationState()).isEqualTo(MigrationState.MIGRATED);
        assertThat(now.addressVector()).isEqualTo(alternate(peer).addressVector());
    }

    @ParameterizedTest
    @EnumSource(names = {"RC", "UC"})
    @Covers({"QP-57", "QP-73", "QP-74", "QP-75", "QP-76", "EVT-13", "QP-72"})
    void bothEndsArmAndTheOneFollowsTheOther(QpType type) {
        QpPair pair = armed(type);
        set(pair.b(), MigrationState.MIGRATED);
        assertMigrated(pair.b(), pair.a());
        exchange(pair.b(), pair.a());
        assertMigrated(pair.a(), pair.b());
        exchange(pair);
    }

    @Test
    @Covers({"QP-74", "QP-76"})
    void anArmedPairMayMoveAsOftenAsItIsArmedAgain() {
        QpPair pair = armed(QpType.RC);
        for (int i = 0; i < 3; i++) {
            set(pair.a(), MigrationState.MIGRATED);
            exchange(pair);
            rearm(pair.a(), pair.b());
            rearm(pair.b(), pair.a());
            exchange(pair);
            assertThat(state(pair.a())).isEqualTo(MigrationState.ARMED);
            assertThat(state(pair.b())).isEqualTo(MigrationState.ARMED);
        }
    }

    @Test
    @Covers({"QP-57", "QP-75"})
    void onlyThePeerArms() {
        Endpoint a = connected().a();
        assertRefused(Errno.EINVAL, () -> set(a, MigrationState.ARMED));
        assertRefused(Errno.EINVAL, () -> set(a, MigrationState.REARM));
        set(a, MigrationState.MIGRATED);
        rearm(a, a);
        assertRefused(Errno.EINVAL, () -> set(a, MigrationState.ARMED));
        assertRefused(Errno.EINVAL, () -> set(a, MigrationState.MIGRATED));
        assertThat(state(a)).isEqualTo(MigrationState.REARM);
    }
}
