// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.mad.umad;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.rdma4j.base.Errno;
import io.rdma4j.base.Gid;
import io.rdma4j.base.RdmaException;
import io.rdma4j.mad.DatagramOutput;
import io.rdma4j.mad.MadAddress;
import io.rdma4j.mad.MadPort;
import io.rdma4j.mad.MadRegistration;
import io.rdma4j.verbs.values.AddressVector;
import io.rdma4j.verbs.values.GlobalRoute;
import io.rdma4j.verbs.values.QpType;
import io.rdma4j.verbs.values.Rate;
import io.rdma4j.verbs.wr.WcStatus;
import io.rdma4j.wire.mad.Mad;
import io.rdma4j.wire.mad.MadClass;
import io.rdma4j.wire.mad.MadMethod;
import io.rdma4j.wire.mad.Rmpp;
import io.rdma4j.wire.mad.RmppType;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Reads and writes of a file of {@code ib_umad}, above the real MAD layer. */
class UmadFileTest {
    private static final long MS = 1_000_000;
    private static final int SIZE = UmadHeader.BYTES + Mad.BYTES;

    private final List<MemorySegment> posted = new ArrayList<>();
    private final List<MadAddress> destinations = new ArrayList<>();
    private long handles;
    private long nowNs;
    private int wakeups;

    private final MadPort mad = new MadPort(
            new DatagramOutput() {
                @Override
                public void post(long handle, MadAddress to, MemorySegment datagram) {
                    posted.add(datagram);
                    destinations.add(to);
                    handles = handle;
                }

                @Override
                public void wakeup() {}

                @Override
                public int pkeyIndex(int pkey) {
                    return 0;
                }
            },
            QpType.GSI,
            5);
    private final UmadFile file = new UmadFile(mad::register, 1, () -> wakeups++, 3);
    private final MadAddress peer = new MadAddress(
            new AddressVector(
                    new GlobalRoute(Gid.parse("10.0.0.9"), 0x54321, 3, 64, 0x20), 0, 5, 0, Rate.PORT_CURRENT, 1),
            1,
            MadAddress.GSI_QKEY,
            2);

    private static MemorySegment datagram(int method, long transactionId) {
        MemorySegment mad = MemorySegment.ofArray(new byte[Mad.BYTES]);
        Mad.write(mad, 0, MadClass.PERF_MGT, method, 0x12, transactionId);
        return mad;
    }

    private static MemorySegment message(UmadHeader header, MemorySegment mad) {
        MemorySegment memory = MemorySegment.ofArray(new byte[(int) (UmadHeader.BYTES + mad.byteSize())]);
        header.write(memory);
        MemorySegment.copy(mad, 0, memory, UmadHeader.BYTES, mad.byteSize());
        return memory;
    }

    private void write(int id, int timeoutMs, MemorySegment mad, MadAddress to) {
        file.write(message(new UmadHeader(id, 0, timeoutMs, 0, 0, to), mad));
    }

    private void complete() {
        mad.sendCompleted(handles, WcStatus.SUCCESS, nowNs);
        mad.runHandlers();
    }

    private void receive(MemorySegment datagram) {
        mad.received(datagram, Mad.BYTES, peer, nowNs);
        mad.runHandlers();
    }

    private static void assertFails(Errno errno, Runnable call) {
        assertThatExceptionOfType(RdmaException.class)
                .isThrownBy(call::run)
                .satisfies(e -> assertThat(e.errno()).as(e.getMessage()).isEqualTo(errno));
    }

    private static MadRegistration sends() {
        return MadRegistration.of(MadClass.PERF_MGT, MadMethod.SEND.code());
    }

    @Test
    void aFileHas32Agents() {
        for (int i = 0; i < UmadFile.AGENTS; i++) {
            assertThat(file.register(1, null, 0)).isEqualTo(i);
        }
        assertFails(Errno.ENOMEM, () -> file.register(1, null, 0));
        file.unregister(7);
        assertFails(Errno.EINVAL, () -> file.unregister(7));
        assertThat(file.register(1, sends(), 0)).isEqualTo(7);
        file.unregister(8);
        assertFails(Errno.EINVAL, () -> file.register(1, sends(), 0));
        assertFails(Errno.EINVAL, () -> file.register(2, null, 0));
        assertFails(Errno.EPROTONOSUPPORT, () -> file.register(0, null, 0));
        assertFails(Errno.EINVAL, () -> file.unregister(-1));
        assertFails(Errno.EINVAL, () -> file.unregister(32));
    }

    /** The number of the agent goes into the upper half of the transaction ID; the response has it, too. */
    @Test
    void aRequestIsWrittenAndItsResponseRead() {
        int id = file.register(1, null, 0);
        write(id, 1000, datagram(MadMethod.GET.code(), 0xAAAA_BBBB_0000_0007L), peer);
        assertThat(destinations).containsExactly(peer);
        MemorySegment sent = posted.getFirst();
        long transactionId = Mad.TRANSACTION_ID.get(sent, 0);
        assertThat((int) transactionId).isEqualTo(7);
        assertThat(transactionId >>> 32).isPositive().isNotEqualTo(0xAAAA_BBBBL);
        complete();
        assertThat(file.isReadable()).isFalse();
        assertFails(Errno.EAGAIN, () -> file.read(MemorySegment.ofArray(new byte[SIZE])));

        MemorySegment response = datagram(MadMethod.GET.responseCode(), transactionId);
        response.set(ValueLayout.JAVA_BYTE, 255, (byte) 9);
        receive(response);
        assertThat(file.isReadable()).isTrue();
        assertThat(wakeups).isEqualTo(1);
        MemorySegment buffer = MemorySegment.ofArray(new byte[SIZE]);
        assertFails(Errno.EINVAL, () -> file.read(MemorySegment.ofArray(new byte[SIZE - 1])));
        assertThat(file.read(buffer)).isEqualTo(SIZE);
        assertThat(UmadHeader.read(buffer, 1)).isEqualTo(new UmadHeader(id, 0, 0, 0, SIZE, peer));
        assertThat(buffer.asSlice(UmadHeader.BYTES).mismatch(response)).isEqualTo(-1);
        assertThat(file.isReadable()).isFalse();
    }

    @Test
    void aTimeoutIsReadAsTheHeaderOfTheRequest() {
        int id = file.register(1, null, 0);
        MemorySegment request = datagram(MadMethod.GET.code(), 5);
        write(id, 1000, request, peer);
        complete();
        mad.advance(nowNs);
        nowNs = 1001 * MS;
        mad.advance(nowNs);
        mad.runHandlers();
        MemorySegment buffer = MemorySegment.ofArray(new byte[UmadHeader.BYTES + Mad.HEADER_BYTES]);
        assertThat(file.read(buffer)).isEqualTo(UmadHeader.BYTES + Mad.HEADER_BYTES);
        UmadHeader header = UmadHeader.read(buffer, 1);
        assertThat(header.status()).isEqualTo(110);
        assertThat(header.address()).isEqualTo(peer);
        assertThat((int) Mad.TRANSACTION_ID.get(buffer, UmadHeader.BYTES)).isEqualTo(5);
        // The transaction ID is free again.
        write(id, 1000, request, peer);
    }

    @Test
    void otherErrorsOfASendAreSilent() {
        int id = file.register(1, null, 0);
        write(id, 1000, datagram(MadMethod.GET.code(), 5), peer);
        mad.sendCompleted(handles, WcStatus.LOC_QP_OP_ERR, nowNs);
        mad.runHandlers();
        assertThat(file.isReadable()).isFalse();
    }

    @Test
    void aSecondRequestOfATransactionIsRefusedAndAResponseToAnotherPortIsNot() {
        int id = file.register(1, null, 0);
        MemorySegment request = datagram(MadMethod.GET.code(), 5);
        write(id, 1000, request, peer);
        assertFails(Errno.EINVAL, () -> write(id, 1000, request, peer));
        write(id, 1000, datagram(MadMethod.GET.code(), 6), peer);
        MadAddress other = MadAddress.gsi(AddressVector.roce(1, Gid.parse("10.0.0.8"), 0), 0);
        MemorySegment response = datagram(MadMethod.GET.responseCode(), 99);
        write(id, 0, response, peer);
        write(id, 0, response, other);
        assertFails(Errno.EINVAL, () -> write(id, 0, response, peer));
        assertThat(Mad.TRANSACTION_ID.get(posted.getLast(), 0)).isEqualTo(99);
        complete();
        write(id, 0, response, other);
    }

    @Test
    void whatIsNoMessageIsRefused() {
        int id = file.register(1, null, 0);
        MemorySegment mad36 = datagram(1, 5).asSlice(0, 36);
        write(id, 0, mad36, peer);
        assertThat(posted.getFirst().byteSize()).isEqualTo(256);
        assertFails(Errno.EINVAL, () -> write(id, 0, mad36.asSlice(0, 35), peer));
        assertFails(Errno.EINVAL, () -> write(9, 0, mad36, peer));
        assertFails(Errno.EINVAL, () -> write(id, 0, MemorySegment.ofArray(new byte[257]), peer));
    }

    /** The first datagram tells the length; the message stays until it is read as a whole. */
    @Test
    void aLongMessageNeedsALongBuffer() {
        int id = file.register(1, MadRegistration.of(MadClass.SUBN_ADM, MadMethod.GET_MULTI.code()), 1);
        for (int number = 1; number <= 3; number++) {
            MemorySegment segment = MemorySegment.ofArray(new byte[Mad.BYTES]);
            Mad.write(segment, 0, MadClass.SUBN_ADM, MadMethod.GET_MULTI.code(), 0x35, 5);
            Rmpp.VERSION.put(segment, Rmpp.OFFSET, 1);
            Rmpp.TYPE.put(segment, Rmpp.OFFSET, RmppType.DATA.code());
            int flags = number == 1 ? Rmpp.FIRST : number == 3 ? Rmpp.LAST : 0;
            Rmpp.FLAGS.put(segment, Rmpp.OFFSET, Rmpp.ACTIVE | flags);
            Rmpp.SEGMENT_NUMBER.put(segment, Rmpp.OFFSET, number);
            Rmpp.PAYLOAD_LENGTH.put(segment, Rmpp.OFFSET, 220);
            segment.set(ValueLayout.JAVA_BYTE, 255, (byte) number);
            receive(segment);
        }
        int length = UmadHeader.BYTES + 56 + 3 * 200;
        MemorySegment small = MemorySegment.ofArray(new byte[length - 1]);
        assertFails(Errno.ENOSPC, () -> file.read(small));
        assertThat(UmadHeader.read(small, 1).length()).isEqualTo(length);
        assertThat(UmadHeader.read(small, 1).id()).isEqualTo(id);
        MemorySegment large = MemorySegment.ofArray(new byte[length + 100]);
        assertThat(file.read(large)).isEqualTo(length);
        assertThat(large.get(ValueLayout.JAVA_BYTE, UmadHeader.BYTES + 255)).isEqualTo((byte) 1);
        assertThat(large.get(ValueLayout.JAVA_BYTE, length - 1)).isEqualTo((byte) 3);
    }

    @Test
    void tooManyMessagesAreLostAndCounted() {
        file.register(1, sends(), 0);
        for (int i = 0; i < 5; i++) {
            receive(datagram(MadMethod.SEND.code(), i));
        }
        assertThat(file.dropped()).isEqualTo(2);
        MemorySegment buffer = MemorySegment.ofArray(new byte[SIZE]);
        for (int i = 0; i < 3; i++) {
            file.read(buffer);
            assertThat(Mad.TRANSACTION_ID.get(buffer, UmadHeader.BYTES)).isEqualTo(i);
        }
        assertThat(file.isReadable()).isFalse();
    }

    @Test
    void aRemovedDeviceFailsWithItsErrnos() {
        int id = file.register(1, null, 0);
        file.deviceRemoved();
        assertThat(file.isReadable()).isTrue();
        assertThat(wakeups).isEqualTo(1);
        assertFails(Errno.EIO, () -> file.read(MemorySegment.ofArray(new byte[SIZE])));
        assertFails(Errno.EPIPE, () -> write(id, 0, datagram(1, 5), peer));
        assertFails(Errno.EPIPE, () -> file.register(1, null, 0));
    }

    @Test
    void closingAFileClosesItsAgents() {
        int id = file.register(1, sends(), 0);
        write(id, 1000, datagram(MadMethod.GET.code(), 5), peer);
        file.close();
        file.close();
        receive(datagram(MadMethod.SEND.code(), 1));
        assertThat(wakeups).isZero();
        assertFails(Errno.EINVAL, () -> file.read(MemorySegment.ofArray(new byte[SIZE])));
        assertThat(mad.advance(nowNs)).isEqualTo(Long.MAX_VALUE);
    }
}
