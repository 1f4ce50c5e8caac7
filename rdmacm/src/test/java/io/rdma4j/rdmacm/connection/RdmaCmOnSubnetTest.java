// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.rdmacm.connection;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdma4j.base.Errno;
import io.rdma4j.base.Gid;
import io.rdma4j.cm.CmPath;
import io.rdma4j.net.NetDevice;
import io.rdma4j.net.ns.NetNamespace;
import io.rdma4j.rdmacm.ConnectParameters;
import io.rdma4j.rdmacm.ConnectionEvent;
import io.rdma4j.rdmacm.ConnectionEventType;
import io.rdma4j.rdmacm.DatagramPeer;
import io.rdma4j.rdmacm.EventChannel;
import io.rdma4j.rdmacm.JoinMode;
import io.rdma4j.rdmacm.PortSpace;
import io.rdma4j.rdmacm.RdmaId;
import io.rdma4j.rdmacm.RdmaIdState;
import io.rdma4j.sm.SubnetOptions;
import io.rdma4j.testing.ledger.Covers;
import io.rdma4j.testing.ledger.ProvedOn;
import io.rdma4j.verbs.AddressHandle;
import io.rdma4j.verbs.CompletionQueue;
import io.rdma4j.verbs.MemoryRegion;
import io.rdma4j.verbs.QueuePair;
import io.rdma4j.verbs.ReceiveRequest;
import io.rdma4j.verbs.SendRequest;
import io.rdma4j.verbs.values.AccessFlag;
import io.rdma4j.verbs.values.AddressVector;
import io.rdma4j.verbs.values.QpAttributes;
import io.rdma4j.verbs.wr.WorkCompletion;
import io.rdma4j.wire.ib.Lid;
import io.rdma4j.wire.ip.LinkLayerAddress;
import java.lang.foreign.MemorySegment;
import java.net.InetAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** rdma_cm by the addresses of IP over InfiniBand, in virtual time. */
@ProvedOn("device")
class RdmaCmOnSubnetTest {
    private static final int PORT = 7471;
    private static final int TIMEOUT_MS = 2000;

    private final SubnetMachines subnet = new SubnetMachines(true, SubnetOptions.DEFAULT.lmc(1));
    private final EventChannel ofClient = subnet.client.service.cm().createChannel();
    private final EventChannel ofServer = subnet.server.service.cm().createChannel();
    private final List<RdmaId> ids = new ArrayList<>();

    @AfterEach
    void close() {
        ids.reversed().forEach(RdmaId::close);
        ofClient.close();
        ofServer.close();
        subnet.close();
    }

    private RdmaId kept(RdmaId id) {
        ids.add(id);
        return id;
    }

    private RdmaId client(PortSpace space) {
        return kept(subnet.client.service.cm().createId(ofClient, space));
    }

    private void listen(PortSpace space, String ip) {
        RdmaId id = kept(subnet.server.service.cm().createId(ofServer, space));
        id.bindAddress(DeviceHosts.address(ip, PORT));
        id.listen(1);
    }

    private ConnectionEvent expect(EventChannel channel, ConnectionEventType type) {
        ConnectionEvent event = subnet.await(channel);
        assertThat(event.type()).as("%s", event).isEqualTo(type);
        return event;
    }

    private RdmaId addressed(PortSpace space, String ip) {
        RdmaId id = client(space);
        id.resolveAddress(null, DeviceHosts.address(ip, PORT), TIMEOUT_MS);
        expect(ofClient, ConnectionEventType.ADDR_RESOLVED);
        return id;
    }

    private RdmaId resolved(PortSpace space, String ip) {
        RdmaId id = addressed(space, ip);
        id.resolveRoute(TIMEOUT_MS);
        assertThat(id.state()).isEqualTo(RdmaIdState.ROUTE_QUERY);
        expect(ofClient, ConnectionEventType.ROUTE_RESOLVED);
        return id;
    }

    private static int lid(SubnetMachines.Side side) {
        return side.context.queryPort(1).lid();
    }

    private static Gid gid(SubnetMachines.Side side) {
        return side.context.queryGid(1, 0);
    }

    private static AddressVector vector(QueuePair qp) {
        return Objects.requireNonNull(qp.query().addressVector());
    }

    @ParameterizedTest
    @CsvSource({"10.0.0.2,10.0.0.2", "::,fd00::2", "::,10.0.0.2"})
    @Covers({"RCM-65", "SA-3", "SA-4"})
    void aConnectionGoesByTheLidOfThePath(String listenAddress, String peer) {
        listen(PortSpace.TCP, listenAddress);
        RdmaId active = resolved(PortSpace.TCP, peer);
        CmPath path = Objects.requireNonNull(active.path());
        assertThat(path.sourceGid()).isEqualTo(gid(subnet.client));
        assertThat(path.destinationGid()).isEqualTo(gid(subnet.server));
        assertThat(path.pkey()).isEqualTo(0xFFFF);
        assertThat(path.packetVector().route()).isNull();
        QueuePair qp = IdPair.createQp(active);
        active.connect(ConnectParameters.DEFAULT);
        RdmaId passive =
                kept(expect(ofServer, ConnectionEventType.CONNECT_REQUEST).id());
        QueuePair peerQp = IdPair.createQp(passive);
        passive.accept(ConnectParameters.DEFAULT);
        expect(ofClient, ConnectionEventType.ESTABLISHED);
        expect(ofServer, ConnectionEventType.ESTABLISHED);

        assertThat(passive.peerAddress()).isEqualTo(active.localAddress());
        assertThat(vector(qp)).isEqualTo(AddressVector.local(1, lid(subnet.server), 0));
        assertThat(vector(peerQp)).isEqualTo(AddressVector.local(1, lid(subnet.client), 0));
        QpAttributes attributes = qp.query();
        assertThat(attributes.pathMtu()).isEqualTo(path.mtu());
        active.disconnect();
        expect(ofServer, ConnectionEventType.DISCONNECTED);
        passive.disconnect();
        expect(ofClient, ConnectionEventType.DISCONNECTED);
    }

    @Test
    @Covers({"RCM-65", "RCM-32"})
    void aDatagramServiceIsFoundByTheLidOfThePath() {
        listen(PortSpace.UDP, "10.0.0.2");
        RdmaId active = resolved(PortSpace.UDP, "10.0.0.2");
        active.connect(ConnectParameters.DEFAULT);
        RdmaId passive =
                kept(expect(ofServer, ConnectionEventType.CONNECT_REQUEST).id());
        QueuePair qp = IdPair.createQp(passive);
        passive.accept(ConnectParameters.DEFAULT);
        DatagramPeer peer = Objects.requireNonNull(
                expect(ofClient, ConnectionEventType.ESTABLISHED).datagram());
        assertThat(peer)
                .isEqualTo(new DatagramPeer(AddressVector.local(1, lid(subnet.server), 0), qp.qpn(), 0x0123_4567));
    }

    @Test
    @Covers({"RCM-65", "RCM-51"})
    void anIdConnectsToItsOwnAddress() {
        RdmaId listener = kept(subnet.client.service.cm().createId(ofClient, PortSpace.TCP));
        listener.bindAddress(DeviceHosts.address("10.0.0.1", PORT));
        listener.listen(1);
        RdmaId active = resolved(PortSpace.TCP, "10.0.0.1");
        IdPair.createQp(active);
        active.connect(ConnectParameters.DEFAULT);
        RdmaId passive =
                kept(expect(ofClient, ConnectionEventType.CONNECT_REQUEST).id());
        IdPair.createQp(passive);
        passive.accept(ConnectParameters.DEFAULT);
        expect(ofClient, ConnectionEventType.ESTABLISHED);
    }

    @Test
    @Covers({"RCM-65", "RCM-26"})
    void aSubnetAdministratorThatDoesNotAnswerIsAnErrorAfterTheTimeout() {
        RdmaId id = addressed(PortSpace.TCP, "10.0.0.2");
        subnet.closeManager();
        long beginNs = subnet.virtualNs();
        id.resolveRoute(TIMEOUT_MS);
        assertThat(expect(ofClient, ConnectionEventType.ROUTE_ERROR).status()).isEqualTo(-110);
        assertThat(subnet.virtualNs() - beginNs).isBetween(2_000_000_000L, 2_200_000_000L);
        assertThat(id.state()).isEqualTo(RdmaIdState.ADDR_RESOLVED);
        id.resolveRoute(TIMEOUT_MS);
        assertThat(id.state()).isEqualTo(RdmaIdState.ROUTE_QUERY);
    }

    /** The link address of the peer has the GID of no port. */
    @Test
    @Covers("RCM-65")
    void thereIsNoPathToAnUnknownPort() {
        NetDevice ib0 = subnet.client.ib0;
        MemorySegment link = MemorySegment.ofArray(new byte[LinkLayerAddress.INFINIBAND_BYTES]);
        LinkLayerAddress.writeInfiniband(link, 0, 0x77, Gid.parse("fe80::77"));
        subnet.client
                .machine
                .loop()
                .exclusively(() -> Objects.requireNonNull(subnet.client
                                .machine
                                .stack(NetNamespace.of(ib0))
                                .interfaceOf(ib0))
                        .neighbours()
                        .add(Gid.parse("10.0.0.77"), ib0.link().format().read(link, 0)));
        RdmaId id = addressed(PortSpace.TCP, "10.0.0.77");
        id.resolveRoute(TIMEOUT_MS);
        assertThat(expect(ofClient, ConnectionEventType.ROUTE_ERROR).status()).isEqualTo(-22);
    }

    @Test
    @Covers({"RCM-65", "RCM-62"})
    void aStationThatDoesNotAnswerIsAnErrorAfterTheTimeout() {
        RdmaId id = client(PortSpace.TCP);
        id.resolveAddress(null, DeviceHosts.address("10.0.0.99", PORT), TIMEOUT_MS);
        assertThat(expect(ofClient, ConnectionEventType.ADDR_ERROR).status()).isEqualTo(-110);
    }

    private RdmaId bound(SubnetMachines.Side side, EventChannel channel, String ip) {
        RdmaId id = kept(side.service.cm().createId(channel, PortSpace.UDP));
        id.bindAddress(DeviceHosts.address(ip, 0));
        return id;
    }

    private DatagramPeer joined(RdmaId id, EventChannel channel, InetAddress group, JoinMode mode) {
        id.joinMulticast(group, mode, null);
        return Objects.requireNonNull(
                expect(channel, ConnectionEventType.MULTICAST_JOIN).datagram());
    }

    /** The group has its own MGID, and the parameters of the broadcast group. */
    @ParameterizedTest
    @CsvSource({
        "239.1.2.3, 10.0.0.1, 10.0.0.2, ff12:4001:ffff::f01:203",
        "ff05::1:5, fd00::1, fd00::2, ff12:6001:ffff::1:5"
    })
    @Covers({"RCM-65", "RCM-60", "MCAST-4", "MCAST-5"})
    void datagramsReachTheMembersOfAGroup(String ip, String clientIp, String serverIp, String mgid) {
        InetAddress group = DeviceHosts.address(ip, 0).getAddress();
        RdmaId sender = bound(subnet.client, ofClient, clientIp);
        RdmaId receiver = bound(subnet.server, ofServer, serverIp);
        QueuePair from = IdPair.createQp(sender);
        QueuePair to = IdPair.createQp(receiver);
        DatagramPeer peer = joined(sender, ofClient, group, JoinMode.SEND_ONLY_FULL_MEMBER);
        assertThat(joined(receiver, ofServer, group, JoinMode.FULL_MEMBER)).isEqualTo(peer);
        int mlid = peer.addressVector().dlid();
        assertThat(Objects.requireNonNull(peer.addressVector().route()).destination())
                .isEqualTo(Gid.parse(mgid));
        assertThat(Lid.isMulticast(mlid)).isTrue();
        assertThat(peer.qkey()).isEqualTo(0x0123_4567);
        subnet.await("the tables", () -> subnet.isMember(mlid, 2));
        assertThat(subnet.isMember(mlid, 1)).as("it only sends").isFalse();
        try (MemoryRegion headers = to.protectionDomain().allocateMemory(40, Set.of(AccessFlag.LOCAL_WRITE));
                AddressHandle handle = from.protectionDomain().createAddressHandle(peer.addressVector())) {
            to.postReceive(ReceiveRequest.of(1, headers.sge(0, 40)));
            from.postSend(SendRequest.sendWithImmediate(77)
                    .destination(handle, peer.qpn(), peer.qkey())
                    .build());
            CompletionQueue cq = Objects.requireNonNull(to.initAttributes().receiveCq());
            List<WorkCompletion> received = new ArrayList<>();
            subnet.await("the datagram", () -> received.addAll(cq.poll(1)));
            assertThat(received.getFirst().immediate()).isEqualTo(77);

            receiver.leaveMulticast(group);
            assertThat(IdPair.errnoOf(() -> receiver.leaveMulticast(group))).isEqualTo(Errno.EADDRNOTAVAIL);
        }
        sender.close();
        subnet.await("the end of the group", () -> !subnet.isMember(mlid, 1) && !subnet.isMember(mlid, 2));
    }

    @Test
    @Covers({"RCM-65", "RCM-60"})
    void aGroupCannotBeJoinedWithoutAdministrator() {
        RdmaId id = bound(subnet.client, ofClient, "10.0.0.1");
        subnet.closeManager();
        id.joinMulticast(DeviceHosts.address("239.1.1.1", 0).getAddress(), JoinMode.FULL_MEMBER, id);
        ConnectionEvent event = expect(ofClient, ConnectionEventType.MULTICAST_ERROR);
        assertThat(event.status()).isEqualTo(-110);
        assertThat(event.context()).isSameAs(id);
    }

    /** The GIDs of the port are no addresses of rdma_cm, as the tables of an InfiniBand port have no IP addresses. */
    @Test
    @Covers("RCM-65")
    void anAddressIsThatOfAnInterface() {
        assertThat(subnet.client.service.openDevices()).isEmpty();
        RdmaId id = client(PortSpace.TCP);
        id.bindAddress(DeviceHosts.address("10.0.0.1", 0));
        assertThat(subnet.client.service.openDevices().getFirst().addresses())
                .containsExactlyElementsOf(subnet.client.ib0.addresses())
                .doesNotContain(gid(subnet.client));
        subnet.client.machine.net().unregister(List.of(subnet.client.ib0));
        assertThat(subnet.client.service.openDevices().getFirst().addresses()).isEmpty();
    }
}
