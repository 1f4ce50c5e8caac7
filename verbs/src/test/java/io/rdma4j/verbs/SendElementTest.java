// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.verbs;

import static io.rdma4j.verbs.SendStation.COMPARE;
import static io.rdma4j.verbs.SendStation.COMPARE_MASK;
import static io.rdma4j.verbs.SendStation.HEADER;
import static io.rdma4j.verbs.SendStation.REMOTE;
import static io.rdma4j.verbs.SendStation.RKEY;
import static io.rdma4j.verbs.SendStation.SWAP;
import static io.rdma4j.verbs.SendStation.SWAP_MASK;
import static org.assertj.core.api.Assertions.assertThat;

import io.rdma4j.testing.ledger.Covers;
import io.rdma4j.verbs.spi.ring.RingMemory;
import io.rdma4j.verbs.spi.ring.SendHeader;
import io.rdma4j.verbs.spi.ring.SendOperands;
import io.rdma4j.verbs.spi.ring.SendQueue;
import io.rdma4j.verbs.spi.ring.SgeLayout;
import io.rdma4j.verbs.values.QpType;
import io.rdma4j.verbs.wr.FlushLevel;
import io.rdma4j.verbs.wr.FlushType;
import io.rdma4j.verbs.wr.SendFlag;
import io.rdma4j.verbs.wr.Sge;
import io.rdma4j.verbs.wr.WcOpcode;
import io.rdma4j.verbs.wr.WrOpcode;
import java.lang.foreign.ValueLayout;
import java.util.List;
import java.util.Objects;
import java.util.OptionalInt;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.EnumSource.Mode;

/**
 * The element in the queue contains the posted values. Posts requests, which use the batch, so both interfaces are
 * covered.
 */
@Covers({"WR-5", "RXE-86"})
class SendElementTest {
    private final Fixture fixture = new Fixture();
    private final SendStation rc = new SendStation(QpType.RC);
    private final RingMemory memory = rc.memory();
    private final long wqe = rc.element(0);

    private SendRequest post(WrOpcode opcode) {
        SendRequest request = rc.complete(opcode, fixture);
        rc.post(request);
        return request;
    }

    @ParameterizedTest
    @EnumSource(mode = Mode.EXCLUDE, names = "TSO")
    void everyOperationHasItsNumberAndItsOpcode(WrOpcode opcode) {
        SendRequest good = rc.complete(opcode, fixture);
        SendRequest numbered = new SendRequest(
                9,
                opcode,
                Set.of(SendFlag.SIGNALED, SendFlag.FENCE),
                good.sges(),
                good.immediate(),
                null,
                good.operation(),
                null);

        rc.post(numbered);

        assertThat(rc.doorbells).isEqualTo(1);
        assertThat(rc.posted()).isEqualTo(1);
        assertThat(SendHeader.of(memory, wqe).wrId()).isEqualTo(9);
        assertThat(SendHeader.of(memory, wqe).opcode()).isEqualTo(opcode.code());
        assertThat(SendHeader.of(memory, wqe).flags() & ~SendFlag.INLINE.bit())
                .isEqualTo(SendFlag.SIGNALED.bit() | SendFlag.FENCE.bit());
        assertThat(WrOpcode.ofCode(opcode.code())).isEqualTo(opcode);
        assertThat(WcOpcode.ofCode(opcode.completion().code())).isEqualTo(opcode.completion());
    }

    @ParameterizedTest
    @EnumSource(names = {"SEND_WITH_IMM", "SEND_WITH_INV", "RDMA_WRITE_WITH_IMM", "RDMA_READ_WITH_INV", "LOCAL_INV"})
    void immediatesAndKeysToInvalidateShareTheirPlace(WrOpcode opcode) {
        SendRequest request = post(opcode);

        assertThat(request.immediate()).isNotZero();
        assertThat(SendHeader.of(memory, wqe).immediate()).isEqualTo(request.immediate());
    }

    @ParameterizedTest
    @EnumSource(
            names = {
                "RDMA_WRITE",
                "RDMA_WRITE_WITH_IMM",
                "RDMA_READ",
                "RDMA_READ_WITH_INV",
                "ATOMIC_CMP_AND_SWP",
                "ATOMIC_FETCH_AND_ADD",
                "MASKED_ATOMIC_CMP_AND_SWP",
                "MASKED_ATOMIC_FETCH_AND_ADD",
                "FLUSH",
                "ATOMIC_WRITE"
            })
    void whatGoesToThePeersMemoryHasAddressAndKey(WrOpcode opcode) {
        post(opcode);

        assertThat(SendOperands.remoteAddress(memory, wqe)).isEqualTo(REMOTE);
        assertThat(SendOperands.remoteKey(memory, wqe)).isEqualTo(RKEY);
        assertThat(SendOperands.xrcSrq(memory, wqe)).isZero();
    }

    @Test
    void atomicsHaveTheirValuesAndMasks() {
        post(WrOpcode.MASKED_ATOMIC_CMP_AND_SWP);
        assertThat(SendOperands.compareAdd(memory, wqe)).isEqualTo(COMPARE);
        assertThat(SendOperands.compareAddMask(memory, wqe)).isEqualTo(COMPARE_MASK);
        assertThat(SendOperands.swap(memory, wqe)).isEqualTo(SWAP);
        assertThat(SendOperands.swapMask(memory, wqe)).isEqualTo(SWAP_MASK);

        rc.post(rc.complete(WrOpcode.MASKED_ATOMIC_FETCH_AND_ADD, fixture));
        assertThat(SendOperands.compareAdd(memory, rc.element(1))).isEqualTo(COMPARE);
        assertThat(SendOperands.compareAddMask(memory, rc.element(1))).isEqualTo(COMPARE_MASK);
    }

    @Test
    void atomicsWithoutMasksConcernAllBits() {
        post(WrOpcode.ATOMIC_CMP_AND_SWP);
        assertThat(SendOperands.compareAdd(memory, wqe)).isEqualTo(COMPARE);
        assertThat(SendOperands.swap(memory, wqe)).isEqualTo(SWAP);
        assertThat(SendOperands.compareAddMask(memory, wqe)).isEqualTo(-1);
        assertThat(SendOperands.swapMask(memory, wqe)).isEqualTo(-1);
        assertThat(SendHeader.of(memory, wqe).length()).isEqualTo(8);

        rc.post(rc.complete(WrOpcode.ATOMIC_FETCH_AND_ADD, fixture));
        assertThat(SendOperands.compareAdd(memory, rc.element(1))).isEqualTo(COMPARE);
        assertThat(SendOperands.compareAddMask(memory, rc.element(1))).isEqualTo(-1);
    }

    @Test
    void aFlushSaysHowFarAndHowMuch() {
        post(WrOpcode.FLUSH);
        assertThat(SendOperands.flushTypes(memory, wqe)).isEqualTo(2);
        assertThat(SendOperands.flushLevel(memory, wqe)).isZero();
        assertThat(SendHeader.of(memory, wqe).length()).isEqualTo(4096);

        Set<FlushType> both = Set.of(FlushType.GLOBAL, FlushType.PERSISTENT);
        rc.post(SendRequest.flush(RKEY, REMOTE, 4096, both, FlushLevel.MR).build());
        assertThat(SendOperands.flushTypes(memory, rc.element(1))).isEqualTo(3);
        assertThat(SendOperands.flushLevel(memory, rc.element(1))).isEqualTo(1);
        assertThat(SendHeader.of(memory, rc.element(1)).length()).isZero();
    }

    @Test
    void theValueOfAnAtomicWriteIsInlineData() {
        post(WrOpcode.ATOMIC_WRITE);

        assertThat(SendHeader.of(memory, wqe).flags()).isEqualTo(SendFlag.INLINE.bit());
        assertThat(SendHeader.of(memory, wqe).length()).isEqualTo(8);
        assertThat(memory.bytes().get(ValueLayout.JAVA_LONG, SendQueue.data(wqe, 0)))
                .isEqualTo(SWAP);
    }

    @Test
    void aBindNamesWindowRegionAndRange() {
        SendRequest request = post(WrOpcode.BIND_MW);

        SendOperation.Bind bind = (SendOperation.Bind) request.operation();
        assertThat(SendOperands.objectHandle(memory, wqe))
                .isEqualTo(bind.window().handle());
        assertThat(SendOperands.newKey(memory, wqe)).isEqualTo(RKEY);
        assertThat(SendOperands.address(memory, wqe)).isEqualTo(bind.binding().address());
        assertThat(SendOperands.rangeLength(memory, wqe)).isEqualTo(128);
        assertThat(SendOperands.access(memory, wqe)).isEqualTo(2 | 4);
        int regionKey = Objects.requireNonNull(bind.binding().region()).lkey();
        assertThat(SendOperands.regionKey(memory, wqe)).isEqualTo(regionKey);
    }

    @Test
    void aRegistrationNamesRegionAndRange() {
        SendRequest request = post(WrOpcode.REG_MR);

        FastMemoryRegion region = ((SendOperation.Registration) request.operation()).region();
        assertThat(SendOperands.objectHandle(memory, wqe)).isEqualTo(region.handle());
        assertThat(SendOperands.newKey(memory, wqe)).isEqualTo(RKEY);
        assertThat(SendOperands.address(memory, wqe)).isEqualTo(region.iova()).isNotZero();
        assertThat(SendOperands.rangeLength(memory, wqe)).isEqualTo(2 * FastMemoryRegion.PAGE_BYTES);
        assertThat(SendOperands.access(memory, wqe)).isEqualTo(1);
    }

    @Test
    void aDatagramSaysWhereItGoes() {
        SendStation gsi = new SendStation(QpType.GSI);
        AddressHandle path = fixture.pd.createAddressHandle(fixture.path());
        SendRequest request = SendRequest.send()
                .destination(new SendDestination.Datagram(path, 0xFFFFFF, 0x8001_0000, OptionalInt.of(3)))
                .build();

        gsi.post(request);

        long element = gsi.element(0);
        assertThat(SendOperands.addressHandle(gsi.memory(), element)).isEqualTo(path.handle());
        assertThat(SendOperands.remoteQpn(gsi.memory(), element)).isEqualTo(0xFFFFFF);
        assertThat(SendOperands.remoteQkey(gsi.memory(), element)).isEqualTo(0x8001_0000);
        assertThat(SendOperands.pkeyIndex(gsi.memory(), element)).isEqualTo(3);
    }

    /** Linux copies the address vector for address handles without a number; here every handle has a number. */
    @Test
    @Covers({"RXE-68", "RXE-85"})
    void anElementHoldsPathDataPlaceAndLength() {
        SendStation ud = new SendStation(QpType.UD);
        AddressHandle path = fixture.pd.createAddressHandle(fixture.path());
        ud.start()
                .send()
                .destination(path, 7, 8)
                .sge(1, 0x1000, 10)
                .sge(2, 0x2000, 20)
                .complete();
        assertThat(SendOperands.addressHandle(ud.memory(), ud.element(0))).isEqualTo(path.handle());
        assertThat(SendHeader.of(ud.memory(), ud.element(0)).numSge()).isEqualTo(2);
        assertThat(SendHeader.of(ud.memory(), ud.element(0)).length()).isEqualTo(30);
        assertThat(SendHeader.of(ud.memory(), ud.element(0)).flags()).isZero();

        rc.start()
                .rdmaWrite(RKEY, REMOTE)
                .inline(HEADER)
                .atomicFetchAdd(RKEY, REMOTE + 8, 1)
                .sge(1, 0x1000, 8)
                .complete();
        assertThat(SendHeader.of(memory, wqe).flags()).isEqualTo(SendFlag.INLINE.bit());
        assertThat(memory.bytes()
                        .asSlice(SendQueue.data(wqe, 0), HEADER.byteSize())
                        .mismatch(HEADER))
                .isEqualTo(-1);
        assertThat(SendHeader.of(memory, wqe).numSge()).isZero();
        assertThat(SendHeader.of(memory, wqe).length()).isEqualTo(HEADER.byteSize());
        assertThat(SendOperands.remoteAddress(memory, wqe)).isEqualTo(REMOTE);
        assertThat(SendOperands.remoteAddress(memory, rc.element(1))).isEqualTo(REMOTE + 8);
        assertThat(rc.posted()).isEqualTo(2);
    }

    @Test
    void aPkeyIndexDoesNotStayInTheSlot() {
        SendStation gsi = new SendStation(QpType.GSI);
        AddressHandle path = fixture.pd.createAddressHandle(fixture.path());
        gsi.start().send().destination(path, 1, 0).pkeyIndex(3).abort();
        gsi.start().send().destination(path, 1, 0).complete();

        assertThat(SendOperands.pkeyIndex(gsi.memory(), gsi.element(0))).isZero();
    }

    @ParameterizedTest
    @EnumSource(names = {"SEND", "RDMA_WRITE", "RDMA_READ", "ATOMIC_FETCH_AND_ADD"})
    @Covers("XRC-7")
    void anXrcMessageNamesTheSharedReceiveQueue(WrOpcode opcode) {
        SendStation xrc = new SendStation(QpType.XRC_INI);

        xrc.post(xrc.complete(opcode, fixture));

        assertThat(SendOperands.xrcSrq(xrc.memory(), xrc.element(0))).isEqualTo(0xABCDEF);
    }

    @Test
    void aLargeSendHasItsHeaderBeforeThePieces() {
        SendStation ud = new SendStation(QpType.UD);
        AddressHandle path = fixture.pd.createAddressHandle(fixture.path());
        Sge piece = new Sge(0x4000, 5000, 6);

        ud.post(SendRequest.sendSegmented(HEADER, 1000)
                .destination(path, 5, 6)
                .sge(piece)
                .build());

        long element = ud.element(0);
        assertThat(SendHeader.of(ud.memory(), element).tsoHeaderBytes()).isEqualTo(27);
        assertThat(ud.memory().bytes().asSlice(SendQueue.data(element, 0), 27).mismatch(HEADER))
                .isEqualTo(-1);
        assertThat(SendOperands.segmentBytes(ud.memory(), element)).isEqualTo(1000);
        assertThat(SendHeader.of(ud.memory(), element).numSge()).isEqualTo(1);
        assertThat(SendHeader.of(ud.memory(), element).length()).isEqualTo(5000);
        long sge = SendQueue.data(element, SendQueue.elementsOf(27));
        assertThat(sge).isGreaterThanOrEqualTo(SendQueue.data(element, 0) + 27);
        assertThat(SgeLayout.address(ud.memory(), sge)).isEqualTo(0x4000);
    }

    @Test
    void piecesFollowOneAnother() {
        rc.post(SendRequest.rdmaWrite(RKEY, REMOTE)
                .sge(new Sge(0x1000, 10, 1))
                .sge(new Sge(0x2000, 20, 2))
                .build());

        assertThat(SendHeader.of(memory, wqe).numSge()).isEqualTo(2);
        assertThat(SendHeader.of(memory, wqe).length()).isEqualTo(30);
        assertThat(List.of(
                        SgeLayout.lkey(SgeLayout.lengthAndKey(memory, SendQueue.data(wqe, 0))),
                        SgeLayout.lkey(SgeLayout.lengthAndKey(memory, SendQueue.data(wqe, 1)))))
                .containsExactly(1, 2);
    }
}
