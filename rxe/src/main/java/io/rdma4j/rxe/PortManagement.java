package io.rdma4j.rxe;

import io.rdma4j.verbs.DeviceCapability;
import io.rdma4j.verbs.EventType;
import io.rdma4j.verbs.PortAttributes;
import io.rdma4j.verbs.PortCapability;
import io.rdma4j.verbs.PortInfo;
import io.rdma4j.verbs.PortModification;
import io.rdma4j.verbs.PortNotice;
import io.rdma4j.verbs.PortState;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * What management reads and writes at a port (IBA 14.2.5.6), and what is told of it. Answers to {@code modify_port} and to the part
 * of {@code process_mad} that is about PortInfo. Any thread.
 */
final class PortManagement {
    private final RxePort port;
    private final PortStateMachine states;
    private final PortEvents events;
    private final PortNotices notices;
    private volatile PortSettings settings = PortSettings.FIRST;
    private @Nullable NonVolatileMemory memory;

    /** Violations that were counted before the counter was reset. */
    private volatile long forgivenQkeys;

    PortManagement(RxePort port, PortStateMachine states, PortEvents events) {
        this.port = port;
        this.states = states;
        this.events = events;
        this.notices = new PortNotices(events::trap);
    }

    /** The port is there: it goes on from what was written before, as far as its device or a file has kept it. */
    synchronized void begin(RxeDevice device) {
        settings = device.portSettings();
        Path directory = port.options().profile().nonVolatile();
        if (directory != null) {
            NonVolatileMemory kept = new NonVolatileMemory(directory, device.name());
            kept.managementKey()
                    .ifPresent(key ->
                            keep(settings.info().toBuilder().managementKey(key).build()));
            port.pkeys().restore(kept.pkeys());
            memory = kept;
        }
        states.begin(settings);
    }

    private void keep(PortInfo info) {
        settings = new PortSettings(info, settings.announced(), states.isShutDown());
    }

    /** What is to outlive the port. */
    PortSettings settings() {
        return settings;
    }

    /** All that management sees. */
    PortInfo info() {
        return settings.info().toBuilder()
                .state(states.state())
                .physicalState(states.physicalState())
                .initTypeReply(states.initTypeReply())
                .build();
    }

    /** {@code qkey_viol_cntr}: since the counter was reset; 0 if the device does not count. */
    long qkeyViolations() {
        boolean counts = !port.options().profile().withheld().contains(DeviceCapability.BAD_QKEY_CNTR);
        return counts ? port.counters().qkeyViolations - forgivenQkeys : 0;
    }

    /** {@code bad_pkey_cntr}; 0 if the device does not count. */
    long badPkeys() {
        boolean counts = !port.options().profile().withheld().contains(DeviceCapability.BAD_PKEY_CNTR);
        return counts ? port.inputCounters().badPkey : 0;
    }

    /** Something happened at the interface. */
    synchronized void linkChanged() {
        tell(states.settle());
    }

    /** {@code modify_port}. */
    synchronized void modify(PortModification change) {
        PortCapabilities.checkOfPrograms(change.setCapabilities());
        PortCapabilities.checkOfPrograms(change.clearCapabilities());
        if (change.shutdown()) {
            tell(states.shutDown());
        }
        if (change.resetQkeyCounter()) {
            forgivenQkeys = port.counters().qkeyViolations;
        }
        PortInfo info = settings.info();
        int initType = change.initType().orElse(info.initType());
        Set<PortCapability> before = settings.announced();
        Set<PortCapability> after = change.applyTo(before);
        settings = new PortSettings(info.toBuilder().initType(initType).build(), after, states.isShutDown());
        if (!after.equals(before) && after.contains(PortCapability.CAP_MASK_NOTICE_SUP)) {
            long mask = Integer.toUnsignedLong(PortCapability.mask(capabilities()));
            notices.raise(new PortNotice(PortNotice.Type.CAPABILITY_CHANGE, RxeLimits.PORT, mask), after);
        }
    }

    /** All that the port has, of itself or by what programs say. */
    Set<PortCapability> capabilities() {
        Set<PortCapability> all = PortCapabilities.own(port.options().profile(), port.device(), port.lanes());
        all.addAll(settings.announced());
        return all;
    }

    /** A packet of another partition was dropped; by the owner of the loop. */
    void badPkey(int pkey, long nowNs) {
        PortSettings now = settings;
        boolean told = !now.announced().isEmpty()
                && notices.mayTell(nowNs, PortAttributes.timeoutNs(now.info().subnetTimeout()));
        if (told) {
            notices.raise(new PortNotice(PortNotice.Type.BAD_PKEY, RxeLimits.PORT, pkey), now.announced());
        }
    }

    /** What the port has noticed, null if nothing. */
    @Nullable
    PortNotice pollNotice() {
        return notices.poll();
    }

    /** SubnSet(PortInfo). */
    synchronized void set(PortInfo orders) {
        states.check(orders);
        PortInfo before = settings.info();
        NonVolatileMemory lasting = memory;
        if (lasting != null && orders.managementKey() != before.managementKey()) {
            lasting.writeManagementKey(orders.managementKey());
        }
        EventType down = states.follow(orders);
        keep(orders.toBuilder()
                .state(PortState.NOP)
                .initType(before.initType())
                .clientReregister(false)
                .build());
        tell(down);
        changes(before, orders).forEach(this::tell);
        tell(states.settle());
    }

    private List<EventType> changes(PortInfo before, PortInfo after) {
        List<EventType> told = new ArrayList<>();
        if (after.lid() != before.lid() || after.lmc() != before.lmc()) {
            told.add(EventType.LID_CHANGE);
        }
        if (after.masterSmLid() != before.masterSmLid() || after.masterSmSl() != before.masterSmSl()) {
            told.add(EventType.SM_CHANGE);
        }
        if (after.gidPrefix() != before.gidPrefix() && port.gids().isDefault()) {
            told.add(EventType.GID_CHANGE);
        }
        if (after.clientReregister()) {
            told.add(EventType.CLIENT_REREGISTER);
        }
        return told;
    }

    /** The P_Key table has changed: it is written down, if there is something to write on, and told. */
    synchronized void pkeysChanged() {
        NonVolatileMemory lasting = memory;
        if (lasting != null) {
            lasting.writePkeys(port.pkeys().toArray());
        }
        tell(EventType.PKEY_CHANGE);
    }

    private void tell(@Nullable EventType event) {
        if (event != null) {
            events.tell(event, RxeLimits.PORT);
        }
    }
}
