// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.rdmacm.connection;

import static io.rdma4j.rdmacm.connection.IdPair.errnoOf;
import static org.assertj.core.api.Assertions.assertThat;

import io.rdma4j.base.Errno;
import io.rdma4j.base.Gid;
import io.rdma4j.base.Mtu;
import io.rdma4j.cm.CmPath;
import io.rdma4j.cm.Ece;
import io.rdma4j.rdmacm.ConnectionEventType;
import io.rdma4j.rdmacm.PortSpace;
import io.rdma4j.rdmacm.RdmaId;
import io.rdma4j.rdmacm.RdmaIdState;
import io.rdma4j.testing.ledger.Covers;
import io.rdma4j.testing.ledger.ProvedOn;
import io.rdma4j.verbs.CompletionQueue;
import io.rdma4j.verbs.QueuePair;
import io.rdma4j.verbs.ReceiveRequest;
import io.rdma4j.verbs.SendRequest;
import io.rdma4j.verbs.values.AddressVector;
import io.rdma4j.verbs.values.GlobalRoute;
import io.rdma4j.verbs.values.MigrationState;
import io.rdma4j.verbs.values.QpAttributes;
import io.rdma4j.verbs.values.QpType;
import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** The options of ids, and what they make of the queue pairs of real devices. */
@ProvedOn("device")
class IdOptionsOnDeviceTest {
    private final IdPair pair = new IdPair();

    @AfterEach
    void close() {
        pair.close();
    }

    private static QueuePair qp(RdmaId id) {
        return Objects.requireNonNull(id.qp());
    }

    private static List<QpAttributes> queuePairs(IdPair.Connection connection) {
        return List.of(qp(connection.active()).query(), qp(connection.passive()).query());
    }

    private static GlobalRoute route(QpAttributes attributes) {
        AddressVector vector = Objects.requireNonNull(attributes.addressVector());
        return Objects.requireNonNull(vector.route());
    }

    @Test
    @Covers("RCM-14")
    void theTypeOfServiceIsTheTrafficClassOfBothQueuePairs() {
        pair.listener(PortSpace.TCP);
        RdmaId active = pair.client(PortSpace.TCP);
        assertThat(errnoOf(() -> active.setTypeOfService(256))).isEqualTo(Errno.EINVAL);
        active.setTypeOfService(0x68);
        IdPair.Connection connection = pair.connect(pair.resolved(active, IdPair.SERVER));
        assertThat(queuePairs(connection))
                .allSatisfy(end -> assertThat(route(end).trafficClass()).isEqualTo(0x68));
    }

    @Test
    @Covers("RCM-15")
    void theAckTimeoutIsThatOfBothQueuePairs() {
        pair.listener(PortSpace.TCP);
        RdmaId active = pair.client(PortSpace.TCP);
        active.setAckTimeout(21);
        IdPair.Connection connection = pair.connect(pair.resolved(active, IdPair.SERVER));
        assertThat(queuePairs(connection)).extracting(QpAttributes::timeout).containsExactly(21, 21);
        RdmaId eager = pair.client(PortSpace.TCP);
        eager.setAckTimeout(14);
        assertThat(queuePairs(pair.connect(pair.resolved(eager, IdPair.SERVER))))
                .as("the ACK delay of the device is 15")
                .extracting(QpAttributes::timeout)
                .containsExactly(16, 16);
        assertThat(queuePairs(pair.connect(pair.resolved(PortSpace.TCP))))
                .as("without the option")
                .extracting(QpAttributes::timeout)
                .containsExactly(19, 19);
    }

    @Test
    @Covers("RCM-15")
    void onlyQueuePairsThatWaitForAcknowledgementsHaveAnAckTimeout() {
        assertThat(errnoOf(() -> pair.client(PortSpace.TCP).setAckTimeout(32))).isEqualTo(Errno.EINVAL);
        assertThat(errnoOf(() -> pair.client(PortSpace.UDP).setAckTimeout(14))).isEqualTo(Errno.EINVAL);
        for (QpType type : List.of(QpType.UC, QpType.XRC_TGT)) {
            RdmaId id = pair.kept(pair.hosts.client.cm.createId(pair.ofClient, PortSpace.IB, type));
            assertThat(errnoOf(() -> id.setAckTimeout(14))).isEqualTo(Errno.EINVAL);
        }
        pair.kept(pair.hosts.client.cm.createId(pair.ofClient, PortSpace.IB, QpType.XRC_INI))
                .setAckTimeout(14);
    }

    @Test
    @Covers("RCM-16")
    void idsThatReuseAnAddressShareItUntilOneListens() {
        RdmaId first = pair.server(PortSpace.TCP);
        RdmaId second = pair.server(PortSpace.TCP);
        first.setReuseAddress(true);
        first.bindAddress(IdPair.SERVER);
        assertThat(errnoOf(() -> second.bindAddress(IdPair.SERVER)))
                .as("only one of both has the option")
                .isEqualTo(Errno.EADDRINUSE);
        second.setReuseAddress(true);
        second.bindAddress(IdPair.SERVER);
        assertThat(errnoOf(() -> first.listen(1))).isEqualTo(Errno.EADDRINUSE);
        assertThat(errnoOf(() -> first.setReuseAddress(false)))
                .as("bound with it")
                .isEqualTo(Errno.EINVAL);
        second.close();
        first.listen(1);
        assertThat(errnoOf(() -> first.setReuseAddress(true))).isEqualTo(Errno.EINVAL);
        RdmaId third = pair.server(PortSpace.TCP);
        third.setReuseAddress(true);
        assertThat(errnoOf(() -> third.bindAddress(IdPair.SERVER))).isEqualTo(Errno.EADDRINUSE);
    }

    @Test
    @Covers("RCM-17")
    void anIpv6WildcardAcceptsIpv4UnlessItIsToldNotTo() {
        RdmaId both = pair.listener(pair.server(PortSpace.TCP), DeviceHosts.address("::", IdPair.PORT), 0);
        IdPair.Connection connection = pair.connect(pair.resolved(PortSpace.TCP));
        assertThat(connection.passive().localAddress()).isEqualTo(IdPair.SERVER);
        assertThat(errnoOf(() -> both.setAddressFamilyOnly(true)))
                .as("it listens")
                .isEqualTo(Errno.EINVAL);
        both.close();

        RdmaId only = pair.server(PortSpace.TCP);
        only.setAddressFamilyOnly(true);
        pair.listener(only, DeviceHosts.address("::", IdPair.PORT), 0);
        RdmaId active = pair.resolved(PortSpace.TCP);
        IdPair.createQp(active);
        active.connect(IdPair.DEFAULT);
        assertThat(pair.atClient(ConnectionEventType.REJECTED).status()).isEqualTo(28);
        pair.listener(pair.server(PortSpace.TCP), DeviceHosts.address("0.0.0.0", IdPair.PORT), 0);
        pair.connect(pair.resolved(PortSpace.TCP));
        IdPair.Connection ipv6 =
                pair.connect(pair.resolved(pair.client(PortSpace.TCP), DeviceHosts.address("fd00::2", IdPair.PORT)));
        assertThat(ipv6.passive().localAddress()).isEqualTo(DeviceHosts.address("fd00::2", IdPair.PORT));
    }

    /** The path between the addresses of another family. */
    private CmPath otherPath(CmPath like) {
        GlobalRoute route = Objects.requireNonNull(like.addressVector().route());
        Gid own = Gid.parse("fd00::1");
        int gidIndex = pair.hosts.client.service.openDevices().getFirst().gidIndex(own);
        GlobalRoute other = new GlobalRoute(
                Gid.parse("fd00::2"), route.flowLabel(), gidIndex, route.hopLimit(), route.trafficClass());
        return new CmPath(
                AddressVector.global(1, other),
                own,
                0,
                like.pkey(),
                like.pkeyIndex(),
                like.mtu(),
                like.packetLifetime());
    }

    private static CmPath withMtu(CmPath path, Mtu mtu) {
        return new CmPath(
                path.addressVector(),
                path.sourceGid(),
                path.sourceLid(),
                path.pkey(),
                path.pkeyIndex(),
                mtu,
                path.packetLifetime());
    }

    @Test
    @Covers("RCM-18")
    void theProgramSetsThePath() {
        pair.listener(PortSpace.TCP);
        CmPath known = Objects.requireNonNull(pair.resolved(PortSpace.TCP).path());
        assertThat(known.mtu()).isEqualTo(Mtu.MTU_4096);
        RdmaId active = pair.client(PortSpace.TCP);
        assertThat(errnoOf(() -> active.setPath(known, null)))
                .as("without address")
                .isEqualTo(Errno.EINVAL);
        pair.addressed(active, null, IdPair.SERVER);
        assertThat(active.path()).isNull();
        CmPath foreign = new CmPath(
                known.addressVector(), Gid.parse("10.0.0.9"), 0, known.pkey(), 0, known.mtu(), known.packetLifetime());
        assertThat(errnoOf(() -> active.setPath(foreign, null))).isEqualTo(Errno.EINVAL);
        assertThat(errnoOf(() -> active.setPath(known, withMtu(otherPath(known), Mtu.MTU_256))))
                .as("the paths have different MTUs")
                .isEqualTo(Errno.EINVAL);
        CmPath own = withMtu(known, Mtu.MTU_512).withPacketLifetime(13);
        active.setPath(own, null);
        pair.atClient(ConnectionEventType.ROUTE_RESOLVED);
        assertThat(active.state()).isEqualTo(RdmaIdState.ROUTE_RESOLVED);
        assertThat(active.path()).isEqualTo(own);
        assertThat(errnoOf(() -> active.setPath(own, null))).isEqualTo(Errno.EINVAL);
        assertThat(queuePairs(pair.connect(active)))
                .extracting(QpAttributes::pathMtu)
                .containsExactly(Mtu.MTU_512, Mtu.MTU_512);
    }

    @Test
    @Covers("RCM-19")
    void theConnectionFollowsAQueuePairToItsAlternatePath() {
        pair.listener(PortSpace.TCP);
        CmPath known = Objects.requireNonNull(pair.resolved(PortSpace.TCP).path());
        RdmaId active = pair.addressed(pair.client(PortSpace.TCP), null, IdPair.SERVER);
        active.setPath(known, otherPath(known));
        pair.atClient(ConnectionEventType.ROUTE_RESOLVED);
        IdPair.Connection connection = pair.connect(active);
        assertThat(queuePairs(connection))
                .allSatisfy(end -> assertThat(end.alternatePath()).isNotNull());
        sendTo(connection.passive(), active);
        pair.hosts.await("armed", () -> qp(active).query().migrationState() == MigrationState.ARMED);
        pair.hosts.server.losesIpv4 = true;
        sendTo(connection.passive(), active);
        assertThat(qp(active).query().migrationState()).isEqualTo(MigrationState.MIGRATED);
        active.disconnect();
        pair.atServer(ConnectionEventType.DISCONNECTED);
        connection.passive().disconnect();
        assertThat(pair.atClient(ConnectionEventType.DISCONNECTED).status()).isZero();
    }

    private void sendTo(RdmaId to, RdmaId from) {
        qp(to).postReceive(ReceiveRequest.of(1));
        qp(from).postSend(SendRequest.sendWithImmediate(5).build());
        CompletionQueue receives = Objects.requireNonNull(to.queues().receiveCq());
        pair.hosts.await("message", () -> receives.poll(1).size() == 1);
    }

    @Test
    @Covers("RCM-19")
    void aProgramTellsThatItsQueuePairHasMigrated() {
        pair.listener(PortSpace.TCP);
        RdmaId active = pair.resolved(PortSpace.TCP);
        assertThat(errnoOf(active::notifyPathMigrated)).isEqualTo(Errno.EINVAL);
        CmPath known = Objects.requireNonNull(active.path());
        RdmaId external = pair.addressed(pair.client(PortSpace.TCP), null, IdPair.SERVER);
        external.setPath(known, otherPath(known));
        pair.atClient(ConnectionEventType.ROUTE_RESOLVED);
        external.connect(IdPair.DEFAULT.withQueuePair(0x17, false));
        RdmaId passive = pair.request();
        passive.accept(IdPair.DEFAULT.withQueuePair(0x18, false));
        pair.atClient(ConnectionEventType.CONNECT_RESPONSE);
        external.establish();
        pair.atServer(ConnectionEventType.ESTABLISHED);
        pair.hosts.server.losesIpv4 = true;
        external.notifyPathMigrated();
        external.disconnect();
        pair.atServer(ConnectionEventType.DISCONNECTED);
        assertThat(errnoOf(external::notifyPathMigrated)).isEqualTo(Errno.EINVAL);
    }

    @Test
    @Covers("RCM-20")
    void theEndsOfExternalQueuePairsTellOptionsOfTheVendor() {
        pair.listener(PortSpace.TCP);
        RdmaId active = pair.resolved(PortSpace.TCP);
        assertThat(errnoOf(() -> active.setLocalEce(Ece.NONE))).isEqualTo(Errno.EINVAL);
        assertThat(errnoOf(() -> active.setLocalEce(new Ece(1 << 24, 0)))).isEqualTo(Errno.EINVAL);
        active.setLocalEce(new Ece(0xABCDEF, 0x1122_3344));
        active.connect(IdPair.DEFAULT.withQueuePair(0x17, false));
        RdmaId passive = pair.request();
        assertThat(passive.remoteEce()).isEqualTo(new Ece(0xABCDEF, 0x1122_3344));
        passive.setLocalEce(new Ece(0xFEDCBA, -1));
        passive.accept(IdPair.DEFAULT.withQueuePair(0x18, false));
        pair.atClient(ConnectionEventType.CONNECT_RESPONSE);
        assertThat(active.remoteEce()).isEqualTo(new Ece(0xFEDCBA, -1));

        RdmaId managed = pair.resolved(PortSpace.TCP);
        IdPair.createQp(managed);
        assertThat(errnoOf(() -> managed.setLocalEce(new Ece(1, 0)))).isEqualTo(Errno.EINVAL);
        assertThat(errnoOf(managed::remoteEce)).isEqualTo(Errno.EINVAL);
    }

    @Test
    @Covers("RCM-20")
    void aDatagramServiceTellsOptionsOfTheVendor() {
        pair.listener(PortSpace.UDP);
        RdmaId active = pair.resolved(PortSpace.UDP);
        active.connect(IdPair.DEFAULT);
        RdmaId passive = pair.request();
        passive.setLocalEce(new Ece(0xABCDEF, 5));
        passive.accept(IdPair.DEFAULT.withQueuePair(0x18, false));
        pair.atClient(ConnectionEventType.ESTABLISHED);
        assertThat(active.remoteEce()).isEqualTo(new Ece(0xABCDEF, 5));
    }

    @Test
    @Covers("RCM-21")
    void optionsOfTheVendorAreRejectedWithReason35() {
        pair.listener(PortSpace.TCP);
        RdmaId active = pair.resolved(PortSpace.TCP);
        active.setLocalEce(new Ece(1, 2));
        active.connect(IdPair.DEFAULT.withQueuePair(0x17, false));
        pair.request().rejectEce(MemorySegment.ofArray(new byte[] {7}));
        var rejected = pair.atClient(ConnectionEventType.REJECTED);
        assertThat(rejected.status()).isEqualTo(35);
        assertThat(rejected.privateData().byteSize()).isEqualTo(148);
        assertThat(rejected.privateData().asByteBuffer().get(0)).isEqualTo((byte) 7);
    }
}
