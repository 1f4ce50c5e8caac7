// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.verbs;

import static io.rdma4j.verbs.Refusals.assertRefused;
import static io.rdma4j.verbs.SendStation.HEADER;
import static io.rdma4j.verbs.SendStation.REMOTE;
import static io.rdma4j.verbs.SendStation.RKEY;
import static org.assertj.core.api.Assertions.assertThat;

import io.rdma4j.base.Errno;
import io.rdma4j.testing.ledger.Covers;
import io.rdma4j.verbs.spi.ring.SendHeader;
import io.rdma4j.verbs.values.QpType;
import io.rdma4j.verbs.wr.FlushLevel;
import io.rdma4j.verbs.wr.SendBatch;
import io.rdma4j.verbs.wr.SendFlag;
import io.rdma4j.verbs.wr.Sge;
import io.rdma4j.verbs.wr.WindowType;
import io.rdma4j.verbs.wr.WrOpcode;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.Set;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class SendBatchRulesTest {
    private static final MemorySegment EIGHT_BYTES = Arena.ofAuto().allocate(8);

    private final Fixture fixture = new Fixture();
    private final SendStation rc = new SendStation(QpType.RC);

    private static void refused(SendStation station, String message, Consumer<SendBatch> mistake) {
        assertRefused(Errno.EINVAL, message, () -> {
            SendBatch batch = station.start();
            mistake.accept(batch);
            batch.complete();
        });
        assertThat(station.posted()).isZero();
        assertThat(station.doorbells).isZero();
    }

    @Test
    @Covers("RXE-84")
    void atomicsNeedEightBytesAtAnAlignedAddress() {
        refused(rc, "pieces of 8 bytes for the old value, not of 0", batch -> batch.atomicFetchAdd(RKEY, REMOTE, 1));
        refused(
                rc,
                "pieces of 8 bytes for the old value, not of 9",
                batch -> batch.atomicCompareSwap(RKEY, REMOTE, 1, 2).sge(1, 0x1000, 9));
        refused(
                rc,
                "must be a multiple of 8",
                batch -> batch.atomicCompareSwap(RKEY, REMOTE + 1, 1, 2).sge(1, 0x1000, 8));
        refused(
                rc,
                "must be a multiple of 8",
                batch -> batch.maskedAtomicFetchAdd(RKEY, REMOTE + 4, 1, -1).sge(1, 0x1000, 8));
        refused(rc, "must be a multiple of 8", batch -> batch.atomicWrite(RKEY, REMOTE + 7, 1));

        rc.start()
                .atomicFetchAdd(RKEY, REMOTE, 1)
                .sge(1, 0x1000, 3)
                .sge(1, 0x2000, 5)
                .complete();
        assertThat(rc.posted()).isEqualTo(1);
    }

    @ParameterizedTest
    @EnumSource(
            names = {
                "RDMA_READ",
                "RDMA_READ_WITH_INV",
                "ATOMIC_CMP_AND_SWP",
                "ATOMIC_FETCH_AND_ADD",
                "MASKED_ATOMIC_CMP_AND_SWP",
                "MASKED_ATOMIC_FETCH_AND_ADD",
                "LOCAL_INV",
                "BIND_MW",
                "REG_MR",
                "FLUSH",
                "ATOMIC_WRITE"
            })
    @Covers("RXE-84")
    void onlyWhatSendsDataCanSendThemInline(WrOpcode opcode) {
        SendRequest request =
                SendStation.request(opcode, fixture).inlineData(EIGHT_BYTES).build();

        assertRefused(Errno.EINVAL, opcode + " takes no inline data", () -> rc.post(request));
    }

    @ParameterizedTest
    @EnumSource(names = {"LOCAL_INV", "BIND_MW", "REG_MR", "FLUSH", "ATOMIC_WRITE"})
    @Covers("RXE-84")
    void whatMovesNoDataTakesNoPieces(WrOpcode opcode) {
        SendRequest request =
                SendStation.request(opcode, fixture).sge(new Sge(0x1000, 8, 1)).build();

        assertRefused(Errno.EINVAL, opcode + " takes no scatter/gather elements", () -> rc.post(request));
    }

    @Test
    @Covers("RXE-84")
    void piecesAndInlineDataHaveTheirLimits() {
        refused(rc, "max_send_sge", batch -> {
            batch.rdmaWrite(RKEY, REMOTE);
            for (int i = 0; i <= rc.queue.maxSge(); i++) {
                batch.sge(1, 0x1000, 1);
            }
        });
        MemorySegment tooLong = Arena.ofAuto().allocate(rc.queue.maxInlineData() + 1L);
        refused(rc, "max_inline_data", batch -> batch.rdmaWrite(RKEY, REMOTE).inline(tooLong));
    }

    @Test
    void checksumsAreForDatagramsOfDevicesThatInsertThem() {
        SendStation ud = new SendStation(QpType.UD);
        AddressHandle path = fixture.pd.createAddressHandle(fixture.path());
        SendRequest.Builder request = SendRequest.send().flag(SendFlag.IP_CSUM);
        ud.post(request.destination(path, 1, 2).build());
        assertThat(SendHeader.of(ud.memory(), ud.element(0)).flags()).isEqualTo(SendFlag.IP_CSUM.bit());

        assertRefused(
                Errno.EOPNOTSUPP,
                "no checksums are inserted into SEND on this RC queue pair",
                () -> rc.start().ipChecksum().send().complete());
        assertRefused(
                Errno.EOPNOTSUPP,
                "no checksums are inserted into TSO",
                () -> ud.start()
                        .ipChecksum()
                        .sendSegmented(EIGHT_BYTES, 100)
                        .destination(path, 1, 2)
                        .complete());
        assertThat(ud.posted()).isEqualTo(1);
    }

    @Test
    void aFlushNeedsATypeAndALengthOf32Bits() {
        refused(rc, "flush types 0", batch -> batch.flush(RKEY, REMOTE, 1, 0, FlushLevel.RANGE));
        refused(rc, "flush types 4", batch -> batch.flush(RKEY, REMOTE, 1, 4, FlushLevel.RANGE));
        refused(rc, "a flush of 4294967296 bytes", batch -> batch.flush(RKEY, REMOTE, 1L << 32, 1, FlushLevel.RANGE));
        refused(rc, "a flush of -1 bytes", batch -> batch.flush(RKEY, REMOTE, -1, 1, FlushLevel.RANGE));
    }

    @Test
    void aWindowOfSomeBytesNeedsARegion() {
        MemoryWindow window = fixture.pd.allocateWindow(WindowType.TYPE_2);

        refused(rc, "a window of 5 bytes needs a memory region", batch -> batch.bindWindow(window, 1, null, 0, 5, 0));
        rc.start().bindWindow(window, 1, null, 0, 0, 0).complete();
    }

    @Test
    void datagramsNeedADestination() {
        SendStation ud = new SendStation(QpType.UD);
        AddressHandle path = fixture.pd.createAddressHandle(fixture.path());

        refused(ud, "SEND on UD needs a destination()", SendBatch::send);
        refused(
                ud,
                "SEND on UD needs a destination()",
                batch -> batch.send().destination(path, 1, 2).send());
        refused(
                ud,
                "remote_qpn 0x1000000 has more than 24 bits",
                batch -> batch.send().destination(path, 1 << 24, 2));
        refused(ud, "must follow an operation", batch -> batch.destination(path, 1, 2));
        refused(
                ud,
                "P_Key indexes in requests are for GSI",
                batch -> batch.send().destination(path, 1, 2).pkeyIndex(0));
        refused(rc, "destinations are for datagrams", batch -> batch.send().destination(path, 1, 2));
    }

    @Test
    void xrcMessagesNeedASharedReceiveQueue() {
        SendStation xrc = new SendStation(QpType.XRC_INI);

        refused(xrc, "SEND on XRC_INI needs an xrcSrq()", SendBatch::send);
        refused(xrc, "RDMA_READ on XRC_INI needs an xrcSrq()", batch -> batch.rdmaRead(RKEY, REMOTE));
        refused(xrc, "remote_srqn 0x1000000 has more", batch -> batch.send().xrcSrq(1 << 24));
        refused(xrc, "must follow an operation", batch -> batch.xrcSrq(1));
        refused(rc, "XRC SRQ numbers are for XRC_INI", batch -> batch.send().xrcSrq(1));
        xrc.start().localInvalidate(RKEY).complete();
    }

    @Test
    void aLargeSendNeedsRoomForItsHeaderAndSegments() {
        SendStation ud = new SendStation(QpType.UD);
        AddressHandle path = fixture.pd.createAddressHandle(fixture.path());
        int slots = ud.queue.maxSge();
        MemorySegment huge = Arena.ofAuto().allocate(slots * 16L + 1);

        refused(ud, "a header of " + huge.byteSize() + " bytes", batch -> batch.sendSegmented(huge, 100));
        refused(ud, "segments of 0 bytes", batch -> batch.sendSegmented(HEADER, 0));
        refused(ud, "max_send_sge is " + (slots - 2), batch -> {
            batch.sendSegmented(HEADER, 100).destination(path, 1, 2);
            for (int i = 0; i < slots - 1; i++) {
                batch.sge(1, 0x1000, 1);
            }
        });
    }

    @Test
    void oneMistakeSpoilsTheWholeBatchAndNothingElse() {
        refused(
                rc,
                "must be a multiple of 8",
                batch -> batch.send().atomicWrite(RKEY, 1, 2).send());

        rc.start().send().rdmaWrite(RKEY, REMOTE).complete();

        assertThat(rc.posted()).isEqualTo(2);
    }

    @Test
    void requestsWhoseObjectsAreClosedOrForeignAreRefusedByTheFriendlyDoor() {
        CompletionQueue cq = fixture.context.createCq(8);
        QueuePair qp = fixture.qp(cq);
        Fixture.connect(qp, qp);
        SendRequest bind = SendStation.request(WrOpcode.BIND_MW, fixture).build();
        SendRequest registration = SendStation.request(WrOpcode.REG_MR, fixture).build();
        ProtectionDomain other = fixture.context.allocatePd();
        QueuePair foreign = other.createQp(QpInitAttributes.builder(cq).build());

        assertRefused(Errno.EINVAL, "different protection domains", () -> foreign.postSend(bind));
        assertRefused(Errno.EINVAL, "different protection domains", () -> foreign.postSend(registration));
        ((SendOperation.Bind) bind.operation()).window().close();
        ((SendOperation.Registration) registration.operation()).region().close();
        assertRefused(Errno.EINVAL, "is closed", () -> qp.postSend(bind));
        assertRefused(Errno.EINVAL, "is closed", () -> qp.postSend(registration));
        FastMemoryRegion empty = fixture.pd.allocateFastRegion(1);
        assertRefused(
                Errno.EINVAL,
                "nothing is mapped",
                () -> qp.postSend(SendRequest.registerMemory(empty, 1, Set.of()).build()));
    }

    @Test
    @Covers("RXE-87")
    void postingManyOperationsTakesOneDoorbell() {
        rc.start()
                .wrId(1)
                .signaled()
                .rdmaWriteImm(RKEY, REMOTE, 3)
                .sge(1, 0x1000, 8)
                .wrId(2)
                .fenced()
                .rdmaRead(RKEY, REMOTE)
                .sge(1, 0x1000, 8)
                .sendInvalidate(RKEY)
                .complete();

        assertThat(rc.doorbells).isEqualTo(1);
        assertThat(List.of(rc.posted())).containsExactly(3);
    }
}
