// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.examples;

import io.rdma4j.base.Gid;
import io.rdma4j.verbs.AddressHandle;
import io.rdma4j.verbs.CompletionQueue;
import io.rdma4j.verbs.Context;
import io.rdma4j.verbs.MemoryRegion;
import io.rdma4j.verbs.ProtectionDomain;
import io.rdma4j.verbs.QpInitAttributes;
import io.rdma4j.verbs.QueuePair;
import io.rdma4j.verbs.Rdma;
import io.rdma4j.verbs.ReceiveRequest;
import io.rdma4j.verbs.SendRequest;
import io.rdma4j.verbs.values.AccessFlag;
import io.rdma4j.verbs.values.AddressVector;
import io.rdma4j.verbs.values.QpAttributes;
import io.rdma4j.verbs.values.QpCapabilities;
import io.rdma4j.verbs.values.QpCreateFlag;
import io.rdma4j.verbs.values.QpState;
import io.rdma4j.verbs.values.QpType;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Set;

/** A chat group: datagrams (UD) to all members that are attached to a multicast address. */
public final class MulticastChat {
    /** Queue pair number of all multicast datagrams. */
    private static final int MULTICAST_QPN = 0xFFFFFF;

    /** Q_Key: a queue pair accepts datagrams with this key only; all members use the same number. */
    private static final int QKEY = 0x11111111;

    private static final int PORT = 1;
    private static final int TEXT_BYTES = 256;
    private static final int HEADER_BYTES = 40; // a received datagram begins with the sender's address (GRH)
    private static final int INCOMING = TEXT_BYTES;

    private MulticastChat() {}

    public static void main(String[] args) {
        // 239.x.y.z is for private use; with the process number, two chats on one machine use different groups.
        int pid = (int) ProcessHandle.current().pid();
        Gid group = Gid.ofIpv4(0xEF00_0000 | pid & 0xFF_FFFF);
        try (Context context = Rdma.open(Connection.DEVICE);
                ProtectionDomain pd = context.allocatePd();
                Member ann = new Member("Ann", pd, group);
                Member ben = new Member("Ben", pd, group);
                Member cleo = new Member("Cleo", pd, group)) {
            ann.say("Anybody there?");
            List.of(ben, cleo).forEach(Member::listen);
            ben.say("I am.");
            List.of(ann, cleo).forEach(Member::listen);
            cleo.say("So am I.");
            List.of(ann, ben).forEach(Member::listen);
        }
    }

    /** A member that sends and receives. */
    private static final class Member implements AutoCloseable {
        private final String name;
        private final MemoryRegion mr;
        private final CompletionQueue sendCq;
        private final CompletionQueue receiveCq;
        private final QueuePair qp;
        private final AddressHandle toGroup;

        Member(String name, ProtectionDomain pd, Gid group) {
            this.name = name;
            mr = pd.allocateMemory(INCOMING + HEADER_BYTES + TEXT_BYTES, Set.of(AccessFlag.LOCAL_WRITE));
            sendCq = pd.context().createCq(1);
            receiveCq = pd.context().createCq(1);
            qp = pd.createQp(QpInitAttributes.builder(sendCq, receiveCq)
                    .type(QpType.UD)
                    .capabilities(QpCapabilities.of(1, 1))
                    .createFlags(QpCreateFlag.BLOCK_MULTICAST_LOOPBACK) // a member does not receive its own messages
                    .build());
            qp.modify(QpAttributes.builder()
                    .state(QpState.INIT)
                    .port(PORT)
                    .pkeyIndex(0)
                    .qkey(QKEY)
                    .build());
            qp.modify(QpAttributes.builder().state(QpState.RTR).build());
            qp.modify(QpAttributes.builder().state(QpState.RTS).sqPsn(0).build());
            qp.attachMulticast(group, 0);
            toGroup = pd.createAddressHandle(AddressVector.roce(PORT, group, 0));
            postReceive();
        }

        private void postReceive() {
            qp.postReceive(ReceiveRequest.of(0, mr.sge(INCOMING, HEADER_BYTES + TEXT_BYTES)));
        }

        void say(String text) {
            String line = name + ": " + text;
            mr.segment().setString(0, line);
            qp.postSend(SendRequest.send()
                    .destination(toGroup, MULTICAST_QPN, QKEY)
                    .sge(mr.sge(0, line.getBytes(StandardCharsets.UTF_8).length + 1))
                    .signaled()
                    .build());
            Connection.await(sendCq);
        }

        void listen() {
            Connection.await(receiveCq);
            System.out.printf("%s hears %s%n", name, mr.segment().getString(INCOMING + HEADER_BYTES));
            postReceive();
        }

        @Override
        public void close() {
            toGroup.close();
            qp.close(); // this also leaves the group
            receiveCq.close();
            sendCq.close();
            mr.close();
        }
    }
}
