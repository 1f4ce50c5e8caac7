// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.verbs;

import static io.rdma4j.verbs.Refusals.assertRefused;
import static org.assertj.core.api.Assertions.assertThat;

import io.rdma4j.base.Errno;
import io.rdma4j.base.Gid;
import io.rdma4j.testing.ledger.Covers;
import io.rdma4j.verbs.device.DeviceLimit;
import io.rdma4j.verbs.values.AddressVector;
import io.rdma4j.verbs.values.GlobalRoute;
import io.rdma4j.verbs.values.QpAttributes;
import io.rdma4j.verbs.values.QpState;
import io.rdma4j.verbs.values.QpType;
import io.rdma4j.verbs.values.Rate;
import io.rdma4j.verbs.wr.WcFlag;
import io.rdma4j.verbs.wr.WcOpcode;
import io.rdma4j.verbs.wr.WcStatus;
import io.rdma4j.verbs.wr.WorkCompletion;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Set;
import org.junit.jupiter.api.Test;

class AddressHandleTest {
    private static final Gid PEER = Gid.parse("2001:db8::7");

    private final Fixture fixture = new Fixture();
    private final ProtectionDomain pd = fixture.pd;

    @Test
    @Covers("AH-14")
    void aHandleLeadsWhereItWasToldLast() {
        AddressHandle handle = pd.createAddressHandle(fixture.path());
        assertThat(handle.query()).isEqualTo(fixture.path());
        assertThat(handle.protectionDomain()).isSameAs(pd);
        AddressVector elsewhere = AddressVector.roce(1, PEER, 0);

        handle.modify(elsewhere);

        assertThat(handle.query()).isEqualTo(elsewhere);
        assertThat(fixture.device.addressHandle(handle.handle()).vector()).isEqualTo(elsewhere);
        assertRefused(Errno.EBUSY, "1 address handle", pd::close);
        handle.close();
        handle.close();
        assertThat(fixture.device.addressHandle(handle.handle())).isNull();
        assertRefused(Errno.EINVAL, "is closed", handle::query);
        assertRefused(Errno.EINVAL, "is closed", () -> handle.modify(elsewhere));
        pd.close();
    }

    @Test
    @Covers({"AH-7", "AH-8"})
    void anImpossiblePathIsRefused() {
        assertRefused(Errno.EINVAL, "needs a global route", () -> pd.createAddressHandle(AddressVector.local(1, 5, 0)));
        assertRefused(Errno.EINVAL, "empty slot", () -> pd.createAddressHandle(AddressVector.roce(1, PEER, 2)));
        assertRefused(
                Errno.EINVAL, "port 3 is not in 1..2", () -> pd.createAddressHandle(AddressVector.roce(3, PEER, 0)));
        AddressHandle good = pd.createAddressHandle(AddressVector.local(2, 5, 0));
        assertRefused(Errno.EINVAL, "needs a global route", () -> good.modify(AddressVector.local(1, 5, 0)));
        assertThat(good.query().dlid()).isEqualTo(5);
    }

    @Test
    void theDevicesLimitHolds() {
        for (int i = 0; i < 3; i++) {
            pd.createAddressHandle(fixture.path());
        }
        assertRefused(Errno.ENOMEM, "3 address handles, its max_ah", () -> pd.createAddressHandle(fixture.path()));
        fixture.device.limit(DeviceLimit.MAX_AH, 0);
        assertRefused(Errno.EOPNOTSUPP, "max_ah is 0", () -> pd.createAddressHandle(fixture.path()));
    }

    @Test
    @Covers({"PD-1", "PD-6"})
    void aQueuePairSendsOnlyOnPathsOfItsOwnDomain() {
        CompletionQueue cq = fixture.context.createCq(4);
        QueuePair qp = pd.createQp(QpInitAttributes.builder(cq).type(QpType.UD).build());
        qp.modify(QpAttributes.builder()
                .state(QpState.INIT)
                .pkeyIndex(0)
                .port(1)
                .qkey(1)
                .build());
        qp.modify(QpAttributes.builder().state(QpState.RTR).build());
        qp.modify(QpAttributes.builder().state(QpState.RTS).sqPsn(1).build());
        AddressHandle foreign = fixture.context.allocatePd().createAddressHandle(fixture.path());
        AddressHandle own = pd.createAddressHandle(fixture.path());
        qp.postReceive(ReceiveRequest.of(1));

        assertRefused(
                Errno.EINVAL,
                "different protection domains",
                () -> qp.postSend(
                        SendRequest.send().destination(foreign, qp.qpn(), 1).build()));
        qp.postSend(SendRequest.send().destination(own, qp.qpn(), 1).build());
        assertThat(cq.poll(2))
                .singleElement()
                .satisfies(received -> assertThat(received.sourceQp()).isEqualTo(qp.qpn()));

        qp.startSend().send().destination(foreign, qp.qpn(), 1).complete();
        assertThat(cq.poll(2))
                .singleElement()
                .satisfies(failed -> assertThat(failed.status()).isEqualTo(WcStatus.LOC_QP_OP_ERR));
    }

    private static WorkCompletion received(WcFlag... flags) {
        return new WorkCompletion(1, WcStatus.SUCCESS, WcOpcode.RECV, 0, 100, 2, 0, 3, Set.of(flags), 0, 0x17, 4, 1, 0);
    }

    private static MemorySegment ipv6(Gid source, Gid destination) {
        MemorySegment header = Arena.ofAuto().allocate(40);
        byte[] start = {0x6A, (byte) 0xB1, 0x23, 0x45, 0, 0, 0x11, 9};
        MemorySegment.copy(start, 0, header, ValueLayout.JAVA_BYTE, 0, start.length);
        MemorySegment.copy(source.toBytes(), 0, header, ValueLayout.JAVA_BYTE, 8, 16);
        MemorySegment.copy(destination.toBytes(), 0, header, ValueLayout.JAVA_BYTE, 24, 16);
        return header;
    }

    private static MemorySegment ipv4(int... sourceAndDestination) {
        MemorySegment header = Arena.ofAuto().allocate(40);
        header.set(ValueLayout.JAVA_BYTE, 20, (byte) 0x45);
        header.set(ValueLayout.JAVA_BYTE, 21, (byte) 0x2E);
        for (int i = 0; i < 2; i++) {
            byte[] address = Gid.ofIpv4(sourceAndDestination[i]).toBytes();
            MemorySegment.copy(address, 12, header, ValueLayout.JAVA_BYTE, 32 + 4L * i, 4);
        }
        return header;
    }

    /** On RoCE the service level of the completion is the kind of header. */
    @Test
    @Covers({"AH-11", "AH-12"})
    void aReplyToIpv6GoesBackToTheSenderFromTheAddressItCameTo() {
        Gid own = fixture.context.queryGid(1, 0);

        AddressHandle handle = pd.createAddressHandle(1, received(WcFlag.GRH), ipv6(PEER, own));

        assertThat(handle.query())
                .isEqualTo(new AddressVector(
                        new GlobalRoute(PEER, 0x12345, 0, 255, 0xAB), 0x17, 0, 1, Rate.PORT_CURRENT, 1));
    }

    @Test
    @Covers("AH-11")
    void aReplyToIpv4GoesBackToTheSenderFromTheAddressItCameTo() {
        AddressVector reply = fixture.context.replyPath(1, received(WcFlag.GRH), ipv4(0x0A00_0002, 0x0A00_0001));

        assertThat(reply.route()).isEqualTo(new GlobalRoute(Gid.ofIpv4(0x0A00_0002), 0, 1, 255, 0x2E));
    }

    @Test
    @Covers("AH-11")
    void aReplyWithinASubnetNeedsNoRoute() {
        AddressVector reply = fixture.context.replyPath(2, received(), MemorySegment.NULL);

        assertThat(reply).isEqualTo(new AddressVector(null, 0x17, 4, 1, Rate.PORT_CURRENT, 2));
    }

    @Test
    void whatCannotBeAnsweredIsRefused() {
        WorkCompletion sent =
                new WorkCompletion(1, WcStatus.SUCCESS, WcOpcode.SEND, 0, 0, 2, 0, 0, Set.of(), 0, 0, 0, 0, 0);
        WorkCompletion flushed =
                new WorkCompletion(1, WcStatus.WR_FLUSH_ERR, WcOpcode.RECV, 0, 0, 2, 0, 0, Set.of(), 0, 0, 0, 0, 0);
        MemorySegment garbage = Arena.ofAuto().allocate(40);
        Context context = fixture.context;

        assertRefused(Errno.EINVAL, "no reply to SEND", () -> context.replyPath(2, sent, MemorySegment.NULL));
        assertRefused(Errno.EINVAL, "WR_FLUSH_ERR", () -> context.replyPath(2, flushed, MemorySegment.NULL));
        assertRefused(
                Errno.EINVAL, "does not begin with a GRH", () -> context.replyPath(1, received(WcFlag.GRH), garbage));
        assertRefused(
                Errno.EINVAL, "40 bytes, not 39", () -> context.replyPath(1, received(WcFlag.GRH), garbage.asSlice(1)));
        assertRefused(
                Errno.ENOENT,
                "port 1 has not as a GID",
                () -> context.replyPath(1, received(WcFlag.GRH), ipv6(PEER, Gid.parse("ff0e::1"))));
        assertRefused(Errno.EINVAL, "needs a global route", () -> context.replyPath(1, received(), MemorySegment.NULL));
    }
}
