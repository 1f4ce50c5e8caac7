// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.fabric.sma;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdma4j.fabric.IbLinkProfile;
import io.rdma4j.testing.ledger.Covers;
import io.rdma4j.verbs.device.PortAttributes;
import io.rdma4j.wire.ib.Lid;
import io.rdma4j.wire.mad.Mad;
import io.rdma4j.wire.mad.MadClass;
import io.rdma4j.wire.mad.MadMethod;
import io.rdma4j.wire.mad.sm.Notice;
import io.rdma4j.wire.mad.sm.PortInfoAttribute;
import io.rdma4j.wire.mad.sm.Smp;
import io.rdma4j.wire.mad.sm.TrapDetails;
import io.rdma4j.wire.mad.table.MadAttribute;
import java.lang.foreign.MemorySegment;
import org.junit.jupiter.api.Test;

/** Traps to the subnet manager at host 1, and the lease of an M_Key, in virtual time. */
class TrapTest {
    private static final int DATA = Smp.DATA;
    private static final long KEY = 0x1234;
    private static final long INTERVAL_NS = PortAttributes.timeoutNs(18);

    private final SweepWorld world = new SweepWorld(IbLinkProfile.wire(50, 64));

    private void pass(long ns) {
        world.schedule.runUntil(world.schedule.nowNs() + ns);
    }

    private int number(int index) {
        return Notice.TRAP_NUMBER.getInt(world.traps.get(index), DATA);
    }

    private static MemorySegment details(MemorySegment trap) {
        return trap.asSlice(DATA + Notice.DATA_DETAILS.offset());
    }

    private void repress(MemorySegment trap, long key) {
        MemorySegment answer = world.begin(MadClass.SUBN_LID_ROUTED, MadMethod.TRAP_REPRESS, MadAttribute.SM_NOTICE, 0);
        Mad.TRANSACTION_ID.put(answer, 0, Mad.TRANSACTION_ID.get(trap, 0));
        Smp.M_KEY.put(answer, 0, key);
        assertThat(world.manager().send(answer, 0, Notice.ISSUER_LID.getInt(trap, DATA)))
                .isTrue();
        world.run();
    }

    @Test
    void withoutManagerThereAreNoTraps() {
        world.links.get(1).unplug();
        pass(10 * INTERVAL_NS);

        assertThat(world.traps).isEmpty();
    }

    @Test
    @Covers({"MAD-19", "PORT-23"})
    void aTrapIsRepeatedUntilTheManagerRepressesIt() {
        world.sweep();
        world.links.get(1).unplug(); // host 2 at switch 1, LID 4
        world.run();
        assertThat(world.traps).hasSize(1);
        MemorySegment trap = world.traps.getFirst();
        assertThat(number(0)).isEqualTo(TrapDetails.LINK_STATE_CHANGE);
        assertThat(Notice.ISSUER_LID.getInt(trap, DATA)).isEqualTo(4);
        assertThat(Notice.PRODUCER_TYPE.getInt(trap, DATA)).isEqualTo(2);
        assertThat(TrapDetails.SWITCH_LID.getInt(details(trap), 0)).isEqualTo(4);

        pass(2 * INTERVAL_NS);
        assertThat(world.traps).hasSize(3);
        assertThat(Mad.TRANSACTION_ID.get(world.traps.getLast(), 0)).isEqualTo(Mad.TRANSACTION_ID.get(trap, 0));

        repress(trap, 0);
        pass(10 * INTERVAL_NS);
        assertThat(world.traps).hasSize(3);
    }

    /** Both ports of a cable between switches change: each switch sends its own trap, of which one arrives. */
    @Test
    void aSwitchThatTheManagerCannotReachGoesOn() {
        world.sweep();
        world.links.getLast().unplug();
        pass(3 * INTERVAL_NS);
        assertThat(world.traps)
                .allSatisfy(
                        trap -> assertThat(Notice.ISSUER_LID.getInt(trap, DATA)).isEqualTo(4));

        world.links.getLast().plug();
        pass(INTERVAL_NS);
        assertThat(world.traps)
                .allSatisfy(
                        trap -> assertThat(Notice.ISSUER_LID.getInt(trap, DATA)).isEqualTo(4));
    }

    private void protect(int bits, int leaseSeconds) {
        world.sweep();
        MemorySegment present = world.get(MadAttribute.PORT_INFO, 1, 1, 2);
        MemorySegment request = world.directed(MadMethod.SET, MadAttribute.PORT_INFO, 1, 1, 2);
        MemorySegment.copy(present, DATA, request, DATA, Smp.DATA_BYTES);
        PortInfoAttribute.PORT_PHYSICAL_STATE.put(request, DATA, 0);
        PortInfoAttribute.PORT_STATE.put(request, DATA, 0);
        PortInfoAttribute.M_KEY.put(request, DATA, KEY);
        PortInfoAttribute.M_KEY_PROTECT_BITS.put(request, DATA, bits);
        PortInfoAttribute.M_KEY_LEASE_PERIOD.put(request, DATA, leaseSeconds);
        assertThat(world.set()).isZero();
    }

    private boolean isAnswered(long key) {
        MemorySegment request = world.directed(MadMethod.GET, MadAttribute.PORT_INFO, 1, 1, 2);
        Smp.M_KEY.put(request, 0, key);
        return world.ask(Lid.PERMISSIVE) != null;
    }

    @Test
    @Covers("GEN-35")
    void aForeignKeyCausesATrapWithItsRoute() {
        protect(2, 0);
        assertThat(isAnswered(7)).isFalse();

        assertThat(world.traps).hasSize(1);
        MemorySegment details = details(world.traps.getFirst());
        assertThat(number(0)).isEqualTo(TrapDetails.BAD_M_KEY);
        assertThat(TrapDetails.LID.getInt(details, 0)).isEqualTo(2);
        assertThat(TrapDetails.METHOD.getInt(details, 0)).isEqualTo(MadMethod.GET.code());
        assertThat(TrapDetails.ATTRIBUTE_ID.getInt(details, 0)).isEqualTo(MadAttribute.PORT_INFO.attributeId());
        assertThat(TrapDetails.M_KEY.get(details, 0)).isEqualTo(7);
        assertThat(TrapDetails.DR_NOTICE.getInt(details, 0)).isEqualTo(1);
        assertThat(TrapDetails.DR_HOP_COUNT.getInt(details, 0)).isEqualTo(2);
        assertThat(TrapDetails.DR_RETURN_PATH.getInt(details, 0, 1)).isEqualTo(1);

        repress(world.traps.getFirst(), 7);
        pass(INTERVAL_NS);
        assertThat(world.traps).as("a repress needs the key").hasSizeGreaterThan(1);
        int before = world.traps.size();
        repress(world.traps.getFirst(), KEY);
        pass(5 * INTERVAL_NS);
        assertThat(world.traps.stream()
                        .filter(trap ->
                                Mad.TRANSACTION_ID.get(trap, 0) == Mad.TRANSACTION_ID.get(world.traps.getFirst(), 0)))
                .hasSize(before);
    }

    @Test
    void withoutLeaseAPortStaysProtected() {
        protect(2, 0);
        assertThat(isAnswered(7)).isFalse();
        pass(1_000_000_000_000L);

        assertThat(isAnswered(7)).isFalse();
        assertThat(isAnswered(KEY)).isTrue();
    }

    @Test
    void theLeaseEndsTheProtectionUnlessTheManagerComesBack() {
        protect(2, 10);
        assertThat(isAnswered(7)).isFalse();
        pass(9_000_000_000L);
        assertThat(isAnswered(7)).isFalse();
        assertThat(isAnswered(KEY)).isTrue(); // ends the timer
        pass(20_000_000_000L);
        assertThat(isAnswered(7)).isFalse(); // begins a new one
        pass(9_900_000_000L);
        assertThat(isAnswered(7)).isFalse();
        pass(200_000_000L);

        assertThat(isAnswered(7)).isTrue();
        MemorySegment answer = world.get(MadAttribute.PORT_INFO, 1, 1, 2);
        assertThat(PortInfoAttribute.M_KEY.get(answer, DATA)).isEqualTo(KEY);
    }
}
