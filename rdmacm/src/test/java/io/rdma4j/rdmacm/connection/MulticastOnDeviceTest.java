// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.rdmacm.connection;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdma4j.base.Gid;
import io.rdma4j.rdmacm.ConnectionEvent;
import io.rdma4j.rdmacm.ConnectionEventType;
import io.rdma4j.rdmacm.DatagramPeer;
import io.rdma4j.rdmacm.EventChannel;
import io.rdma4j.rdmacm.JoinMode;
import io.rdma4j.rdmacm.PortSpace;
import io.rdma4j.rdmacm.RdmaId;
import io.rdma4j.testing.ledger.Covers;
import io.rdma4j.testing.ledger.ProvedOn;
import io.rdma4j.verbs.AddressHandle;
import io.rdma4j.verbs.CompletionQueue;
import io.rdma4j.verbs.Context;
import io.rdma4j.verbs.MemoryRegion;
import io.rdma4j.verbs.ProtectionDomain;
import io.rdma4j.verbs.QpInitAttributes;
import io.rdma4j.verbs.QueuePair;
import io.rdma4j.verbs.ReceiveRequest;
import io.rdma4j.verbs.SendRequest;
import io.rdma4j.verbs.values.AccessFlag;
import io.rdma4j.verbs.values.AddressVector;
import io.rdma4j.verbs.values.GlobalRoute;
import io.rdma4j.verbs.values.QpCapabilities;
import io.rdma4j.verbs.values.QpCreateFlag;
import io.rdma4j.verbs.values.QpType;
import io.rdma4j.verbs.wr.WcStatus;
import io.rdma4j.verbs.wr.WorkCompletion;
import java.net.InetAddress;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Multicast groups of ids on two real devices. */
@ProvedOn("device")
@Timeout(120)
class MulticastOnDeviceTest {
    private static final InetAddress GROUP = DeviceHosts.address("239.1.1.1", 0).getAddress();

    private final DeviceHosts hosts = new DeviceHosts();

    @AfterEach
    void close() {
        hosts.close();
    }

    @Test
    @Covers("RCM-60")
    void onlyFullMembersReceiveFromAGroup() throws InterruptedException {
        try (GroupMember full = new GroupMember(hosts.server, "10.0.0.2");
                GroupMember sender = new GroupMember(hosts.client, "10.0.0.1")) {
            full.join(JoinMode.FULL_MEMBER);
            sender.join(JoinMode.SEND_ONLY_FULL_MEMBER);
            sender.sendToGroup(1);
            assertThat(full.receive()).isEqualTo(1);
            // Datagrams of one queue pair stay in order: a sender that received from the group would receive 2 first.
            full.sendToGroup(2);
            full.send(3, sender);
            assertThat(sender.receive()).isEqualTo(3);
            assertThat(full.receive()).as("its own datagram").isEqualTo(2);
            full.id.leaveMulticast(GROUP);
            sender.sendToGroup(4);
            sender.send(5, full);
            assertThat(full.receive()).isEqualTo(5);
        }
    }

    @Test
    @Covers("RCM-4")
    void aMemberCanBlockItsOwnDatagrams() throws InterruptedException {
        try (GroupMember one = new GroupMember(hosts.server, "10.0.0.2", QpCreateFlag.BLOCK_MULTICAST_LOOPBACK);
                GroupMember other = new GroupMember(hosts.server, "10.0.0.2", QpCreateFlag.BLOCK_MULTICAST_LOOPBACK)) {
            one.join(JoinMode.FULL_MEMBER);
            other.join(JoinMode.FULL_MEMBER);
            one.sendToGroup(1);
            assertThat(other.receive()).isEqualTo(1);
            other.sendToGroup(2);
            assertThat(one.receive()).isEqualTo(2);
        }
    }

    /** An id whose queue pair sends and receives datagrams without payload; immediate data tells them apart. */
    private static final class GroupMember implements AutoCloseable {
        private static final int DEPTH = 8;
        private static final int GRH_BYTES = 40;
        private static final Duration MAX_WAIT = Duration.ofSeconds(60);

        private final Gid address;
        private final EventChannel channel;
        private final RdmaId id;
        private final ProtectionDomain pd;
        private final CompletionQueue sends;
        private final CompletionQueue receives;
        private final MemoryRegion headers;
        private final QueuePair qp;
        private @Nullable DatagramPeer group;

        GroupMember(DeviceHosts.Side host, String address, QpCreateFlag... flags) {
            this.address = Gid.parse(address);
            channel = host.cm.createChannel();
            id = host.cm.createId(channel, PortSpace.UDP);
            id.bindAddress(DeviceHosts.address(address, 0));
            Context context = Objects.requireNonNull(id.verbs());
            pd = context.allocatePd();
            sends = context.createCq(DEPTH);
            receives = context.createCq(DEPTH);
            headers = pd.allocateMemory(GRH_BYTES, Set.of(AccessFlag.LOCAL_WRITE));
            qp = id.createQp(
                    pd,
                    QpInitAttributes.builder(sends, receives)
                            .type(QpType.UD)
                            .capabilities(QpCapabilities.of(DEPTH, DEPTH))
                            .createFlags(flags)
                            .build());
            for (int i = 0; i < DEPTH; i++) {
                qp.postReceive(ReceiveRequest.of(i, headers.sge(0, GRH_BYTES)));
            }
        }

        void join(JoinMode mode) throws InterruptedException {
            id.joinMulticast(GROUP, mode, null);
            try (ConnectionEvent event = Objects.requireNonNull(channel.get(MAX_WAIT))) {
                assertThat(event.type()).isEqualTo(ConnectionEventType.MULTICAST_JOIN);
                group = event.datagram();
            }
        }

        private DatagramPeer group() {
            return Objects.requireNonNull(group, "joined");
        }

        void sendToGroup(int number) throws InterruptedException {
            send(number, group());
        }

        void send(int number, GroupMember to) throws InterruptedException {
            int gidIndex =
                    Objects.requireNonNull(group().addressVector().route()).sourceGidIndex();
            AddressVector vector = AddressVector.global(id.port(), GlobalRoute.to(to.address, gidIndex));
            send(number, new DatagramPeer(vector, to.qp.qpn(), group().qkey()));
        }

        private void send(int number, DatagramPeer to) throws InterruptedException {
            try (AddressHandle handle = pd.createAddressHandle(to.addressVector())) {
                qp.postSend(SendRequest.sendWithImmediate(number)
                        .destination(handle, to.qpn(), to.qkey())
                        .signaled()
                        .build());
                next(sends);
            }
        }

        /** The number of the next datagram. */
        int receive() throws InterruptedException {
            return next(receives).immediate();
        }

        private static WorkCompletion next(CompletionQueue cq) throws InterruptedException {
            List<WorkCompletion> completions = cq.poll(1, MAX_WAIT);
            assertThat(completions).hasSize(1);
            assertThat(completions.getFirst().status()).isEqualTo(WcStatus.SUCCESS);
            return completions.getFirst();
        }

        @Override
        public void close() {
            id.close();
            headers.close();
            sends.close();
            receives.close();
            pd.close();
            channel.close();
        }
    }
}
