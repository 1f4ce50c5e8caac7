// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.uverbs.abi;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.rdma4j.base.Errno;
import io.rdma4j.base.Gid;
import io.rdma4j.base.Mtu;
import io.rdma4j.base.RdmaException;
import io.rdma4j.testing.ledger.Covers;
import io.rdma4j.verbs.device.DeviceAttributes;
import io.rdma4j.verbs.device.DeviceCapability;
import io.rdma4j.verbs.device.DeviceLimit;
import io.rdma4j.verbs.device.PortAttributes;
import io.rdma4j.verbs.values.AccessFlag;
import io.rdma4j.verbs.values.AddressVector;
import io.rdma4j.verbs.values.AlternatePath;
import io.rdma4j.verbs.values.MigrationState;
import io.rdma4j.verbs.values.QpAttributes;
import io.rdma4j.verbs.values.QpCapabilities;
import io.rdma4j.verbs.values.QpState;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.Map;
import java.util.Set;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class FrameCodecTest {
    private static Message transfer(AttributeEncoding style, Message message) {
        return FrameCodec.decode(FrameCodec.encode(Frame.request(style, 7, message)))
                .message();
    }

    private static void assertRefused(Errno errno, String part, ThrowingCallable verb) {
        assertThatExceptionOfType(RdmaException.class)
                .isThrownBy(verb)
                .withMessageContaining(part)
                .satisfies(e -> assertThat(e.errno()).isEqualTo(errno));
    }

    private static Message registration() {
        return new Message(CommandType.REG_MR)
                .put(CommandAttribute.PD, 3)
                .putText(CommandAttribute.FILE, "/dev/shm/ü")
                .putLong(CommandAttribute.OFFSET, 1L << 40)
                .putLong(CommandAttribute.SIZE, 5)
                .putLong(CommandAttribute.IOVA, -1)
                .put(CommandAttribute.ACCESS, 7);
    }

    @ParameterizedTest
    @EnumSource
    @Covers({"UVERBS-44", "UVERBS-45", "UVERBS-46"})
    void argumentsArriveAsTheyWereGiven(AttributeEncoding style) {
        Message arrived = transfer(style, registration());

        assertThat(arrived.command()).isEqualTo(CommandType.REG_MR);
        assertThat(arrived.get(CommandAttribute.PD)).isEqualTo(3);
        assertThat(arrived.getText(CommandAttribute.FILE)).isEqualTo("/dev/shm/ü");
        assertThat(arrived.getLong(CommandAttribute.OFFSET)).isEqualTo(1L << 40);
        assertThat(arrived.getLong(CommandAttribute.IOVA)).isEqualTo(-1);
        assertThat(arrived.get(CommandAttribute.ACCESS)).isEqualTo(7);
    }

    @Test
    @Covers("UVERBS-46")
    void whatIsMissingIsAbsentAndReadsAsZero() {
        Message arrived =
                transfer(AttributeEncoding.IOCTL, new Message(CommandType.REG_MR).put(CommandAttribute.PD, 3));

        assertThat(arrived.has(CommandAttribute.PD)).isTrue();
        assertThat(arrived.has(CommandAttribute.IOVA)).isFalse();
        assertThat(arrived.getLong(CommandAttribute.IOVA)).isZero();
        assertThat(arrived.getText(CommandAttribute.FILE)).isEmpty();
        assertRefused(
                Errno.EINVAL,
                "needs CAPABILITIES",
                () -> arrived.getRecord(CommandAttribute.CAPABILITIES, QpCapabilities.class));
    }

    /**
     * An older client omits the attributes at the end, PIECES and ACCESS. A newer client sends additional zeros, which
     * are accepted; other additional values are rejected.
     */
    @Test
    @Covers({"UVERBS-34", "UVERBS-48"})
    void theShortStyleIsReadWhenTheOtherEndIsOlderOrNewer() {
        ByteBuffer whole = FrameCodec.encode(Frame.request(AttributeEncoding.WRITE, 7, registration()));
        int withoutAccess = whole.remaining() - 2 * Integer.BYTES;
        ByteBuffer older = resized(whole, withoutAccess);
        assertThat(FrameCodec.decode(older).message().get(CommandAttribute.ACCESS))
                .isZero();
        assertThat(FrameCodec.decode(resized(whole, withoutAccess)).message().get(CommandAttribute.PD))
                .isEqualTo(3);

        ByteBuffer newer = resized(whole, whole.remaining() + 8);
        assertThat(FrameCodec.decode(newer.duplicate()).message().get(CommandAttribute.ACCESS))
                .isEqualTo(7);
        newer.put(newer.limit() - 1, (byte) 1);
        assertRefused(Errno.EOPNOTSUPP, "more arguments", () -> FrameCodec.decode(newer));
    }

    private static ByteBuffer resized(ByteBuffer frame, int bytes) {
        ByteBuffer other = ByteBuffer.allocate(bytes);
        other.put(0, frame, 0, Math.min(bytes, frame.remaining()));
        return other.putInt(0, bytes - FrameCodec.HEADER_BYTES);
    }

    @ParameterizedTest
    @EnumSource
    @Covers("UVERBS-48")
    void aFrameThatIsCutOffAnywhereIsRefused(AttributeEncoding style) {
        ByteBuffer whole = FrameCodec.encode(Frame.request(style, 7, registration()));
        for (int bytes = 0; bytes < whole.remaining(); bytes++) {
            ByteBuffer cut = whole.slice(0, bytes);
            assertRefused(Errno.EINVAL, "cut off", () -> FrameCodec.decode(cut));
        }
    }

    /** The frame's length is correct, but the length of an attribute exceeds the frame. */
    @Test
    @Covers("UVERBS-48")
    void anAttributeBeyondTheFrameIsRefused() {
        ByteBuffer frame = FrameCodec.encode(Frame.request(
                AttributeEncoding.IOCTL, 7, new Message(CommandType.ALLOC_PD).putText(CommandAttribute.COMM, "abc")));
        int length = FrameCodec.HEADER_BYTES + 4;
        for (int lie : new int[] {4, 1 << 20, Integer.MAX_VALUE, -1, Integer.MIN_VALUE}) {
            ByteBuffer lying = frame.duplicate().putInt(length, lie);
            assertRefused(Errno.EINVAL, "bytes", () -> FrameCodec.decode(lying.rewind()));
        }
        ByteBuffer wrongSize = FrameCodec.encode(Frame.request(
                AttributeEncoding.IOCTL, 7, new Message(CommandType.DEALLOC_PD).put(CommandAttribute.HANDLE, 1)));
        wrongSize.putShort(FrameCodec.HEADER_BYTES, (short) CommandAttribute.USER_HANDLE.id());
        assertRefused(Errno.EINVAL, "USER_HANDLE of 4 bytes", () -> FrameCodec.decode(wrongSize));
        ByteBuffer huge = ByteBuffer.allocate(FrameCodec.HEADER_BYTES).putInt(0, FrameCodec.MAX_BODY_BYTES + 1);
        assertRefused(Errno.EINVAL, "the limit is", () -> FrameCodec.bodyBytes(huge));
    }

    @Test
    @Covers({"UVERBS-34", "UVERBS-48"})
    void whatThisVersionDoesNotKnowIsNotSupported() {
        Message request = new Message(CommandType.DEALLOC_PD).put(CommandAttribute.HANDLE, 1);
        ByteBuffer command = FrameCodec.encode(Frame.request(AttributeEncoding.IOCTL, 7, request));
        ByteBuffer attribute = FrameCodec.encode(Frame.request(AttributeEncoding.IOCTL, 7, request));
        ByteBuffer style = FrameCodec.encode(Frame.request(AttributeEncoding.IOCTL, 7, request));

        command.putShort(4, (short) 0x7FFF);
        assertRefused(Errno.EOPNOTSUPP, "no command 32767", () -> FrameCodec.decode(command));
        attribute.putShort(FrameCodec.HEADER_BYTES, (short) 0x7FFF);
        assertRefused(Errno.EOPNOTSUPP, "no attribute 0x7fff", () -> FrameCodec.decode(attribute));
        style.put(7, (byte) 3);
        assertRefused(Errno.EOPNOTSUPP, "version 3", () -> FrameCodec.decode(style));
    }

    @Test
    void aRefusalHasNumberAndReason() {
        ByteBuffer request =
                FrameCodec.encode(Frame.request(AttributeEncoding.WRITE, 7, new Message(CommandType.ALLOC_PD)));
        RdmaException why = new RdmaException(Errno.ENOMEM, "no more");
        Frame refusal = FrameCodec.decode(FrameCodec.encode(Frame.refusal(FrameCodec.sequence(request), why)));

        assertThat(refusal.sequence()).isEqualTo(7);
        assertThatExceptionOfType(RdmaException.class)
                .isThrownBy(refusal::success)
                .withMessage("ENOMEM: no more");
    }

    private static final AddressVector PATH = AddressVector.roce(1, Gid.ofIpv4(0x0A00_0001), 2);

    private static final QpAttributes EVERYTHING = QpAttributes.builder()
            .state(QpState.RTS)
            .currentState(QpState.RTR)
            .sqdAsyncNotify(true)
            .sqDraining(true)
            .accessFlags(Set.of(AccessFlag.REMOTE_READ))
            .pkeyIndex(1)
            .port(1)
            .qkey(-2)
            .addressVector(PATH)
            .pathMtu(Mtu.MTU_2048)
            .timeout(14)
            .retryCount(6)
            .rnrRetry(5)
            .rqPsn(0xABCDEF)
            .maxRdAtomic(4)
            .alternatePath(new AlternatePath(PATH, 1, 1, 3))
            .minRnrTimer(12)
            .sqPsn(0x123456)
            .maxDestRdAtomic(3)
            .migrationState(MigrationState.REARM)
            .capabilities(new QpCapabilities(1, 2, 3, 4, 5))
            .destinationQpn(0x11)
            .rateLimit(1000)
            .build();

    @ParameterizedTest
    @EnumSource
    @Covers({"UVERBS-44", "UVERBS-46"})
    void attributesOfQueuePairsArriveWithTheirMask(AttributeEncoding style) {
        Message all = QpAttributeCodec.put(new Message(CommandType.QUERY_QP), EVERYTHING);
        Frame answer = Frame.request(style, 7, all).answer(all);
        Message arrived = FrameCodec.decode(FrameCodec.encode(answer)).message();
        assertThat(QpAttributeCodec.get(arrived)).isEqualTo(EVERYTHING);

        QpAttributes few = QpAttributes.builder().timeout(3).build();
        Message one = QpAttributeCodec.put(new Message(CommandType.MODIFY_QP), few);
        assertThat(QpAttributeCodec.get(transfer(style, one))).isEqualTo(few);
    }

    @Test
    void structuresArriveWhole() {
        DeviceAttributes device = DeviceAttributes.builder()
                .firmwareVersion("1.0")
                .nodeGuid(-1)
                .capabilities(DeviceCapability.XRC, DeviceCapability.ATOMIC_WRITE)
                .limit(DeviceLimit.MAX_QP, 1L << 33)
                .build();
        PortAttributes port = PortAttributes.ethernet(true, Mtu.MTU_4096, Mtu.MTU_1024, 4, 2, 1L << 31);

        assertThat(RecordCodec.decode(DeviceAttributes.class, RecordCodec.encode(device)))
                .isEqualTo(device);
        assertThat(RecordCodec.decode(PortAttributes.class, RecordCodec.encode(port)))
                .isEqualTo(port);
        AddressVector local = AddressVector.local(1, 3, 2);
        assertThat(RecordCodec.decode(AddressVector.class, RecordCodec.encode(local)))
                .isEqualTo(local);
        Map<String, Long> counters = Map.of("sent_pkts", 1L, "rcvd_pkts", 2L);
        assertThat(RecordCodec.decodeMap(RecordCodec.encode(counters))).isEqualTo(counters);
    }

    @Test
    @Covers("UVERBS-48")
    void aStructureThatIsNoneIsRefused() {
        byte[] bytes = RecordCodec.encode(PATH);
        for (int length = 1; length < bytes.length; length++) {
            byte[] cut = Arrays.copyOf(bytes, length);
            assertRefused(Errno.EINVAL, "are no AddressVector", () -> RecordCodec.decode(AddressVector.class, cut));
        }
    }
}
