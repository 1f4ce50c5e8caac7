// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.hca;

import io.rdma4j.base.Gid;
import io.rdma4j.transport.port.TransportCounters;
import io.rdma4j.verbs.device.DeviceCapability;
import io.rdma4j.verbs.device.PortAttributes;
import io.rdma4j.verbs.device.PortCapability;
import io.rdma4j.verbs.device.PortInfo;
import io.rdma4j.verbs.device.PortModification;
import io.rdma4j.verbs.device.PortNotice;
import io.rdma4j.verbs.values.EventType;
import io.rdma4j.wire.mad.MadField;
import io.rdma4j.wire.mad.sm.PortInfoAttribute;
import java.lang.foreign.MemorySegment;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Reads and writes the management attributes of a port (IBA 14.2.5.6), and raises its events and notices. Corresponds
 * to {@code modify_port} and to the PortInfo part of {@code process_mad}. Any thread.
 */
public final class PortManagement {
    private static final List<MadField> OF_DEVICE = List.of(
            PortInfoAttribute.CAPABILITY_MASK,
            PortInfoAttribute.P_KEY_VIOLATIONS,
            PortInfoAttribute.Q_KEY_VIOLATIONS,
            PortInfoAttribute.INIT_TYPE);

    private final PortStateMachine states;
    private final PortEvents events;
    private final AddressTables tables;
    private final TransportCounters counters;
    private final InputCounters inputCounters;
    private final HcaCapabilities ofDevice;
    private final PortLink link;
    private final PortNotices notices;
    private volatile PortInfoBytes bytes = new PortInfoBytes();
    private @Nullable NonVolatileMemory memory;

    private long portGuid;

    /** Value of the counter at the last reset. */
    private volatile long forgivenQkeys;

    public PortManagement(
            PortStateMachine states,
            PortEvents events,
            AddressTables tables,
            TransportCounters counters,
            InputCounters inputCounters,
            HcaCapabilities ofDevice,
            PortLink link) {
        this.states = states;
        this.events = events;
        this.tables = tables;
        this.counters = counters;
        this.inputCounters = inputCounters;
        this.ofDevice = ofDevice;
        this.link = link;
        this.notices = new PortNotices(events::trap);
    }

    /**
     * Starts with the attribute that the device has kept and the settings in a file.
     *
     * @param directory of the file; null for none
     */
    public synchronized void begin(DeviceIdentity device, PortInfoBytes kept, @Nullable Path directory) {
        portGuid = device.nodeGuid();
        bytes = kept;
        if (directory != null) {
            NonVolatileMemory lasting = new NonVolatileMemory(directory, device.name());
            lasting.managementKey().ifPresent(key -> kept.set(PortInfoAttribute.M_KEY, key));
            tables.pkeys().restore(lasting.pkeys());
            memory = lasting;
        }
        setDefaultGid();
        states.begin(kept);
    }

    private void setDefaultGid() {
        tables.gids().setDefault(new Gid(bytes.get(PortInfoAttribute.GID_PREFIX), portGuid));
    }

    /** Returns the attribute after its values that change without an order are written. */
    PortInfoBytes present() {
        PortInfoBytes now = bytes;
        states.writeTo(now);
        now.link(link.rate(), link.lanes(), link.activeMtu());
        now.violations(badPkeys(), qkeyViolations());
        now.capabilities(ownCapabilities(), ~PortCapabilities.MASK_OF_PROGRAMS);
        return now;
    }

    /** Writes the components of PortInfo that the device determines: capabilities, violations, InitType. */
    public void writeTo(MemorySegment portInfo) {
        PortInfoBytes now = present();
        for (MadField field : OF_DEVICE) {
            field.put(portInfo, 0, now.get(field));
        }
    }

    /** Returns all attributes that management reads. */
    public PortInfo info() {
        return present().toPortInfo();
    }

    /** Implements {@code query_port}. */
    public PortAttributes attributes() {
        return present().toAttributes(tables.pkeys().size(), link.layer(), link.agentCapabilities());
    }

    /** Returns {@code qkey_viol_cntr} since the last reset; 0 if the device does not count. */
    private long qkeyViolations() {
        return ofDevice.has(DeviceCapability.BAD_QKEY_CNTR) ? counters.qkeyViolations - forgivenQkeys : 0;
    }

    /** Returns {@code bad_pkey_cntr}; 0 if the device does not count. */
    private long badPkeys() {
        return ofDevice.has(DeviceCapability.BAD_PKEY_CNTR) ? inputCounters.badPkey : 0;
    }

    /** Updates the state after an event of the interface. */
    public synchronized void linkChanged() {
        tell(states.settle());
    }

    /** Implements {@code modify_port}. */
    public void modify(PortModification change) {
        PortCapabilities.checkOfPrograms(change.setCapabilities());
        PortCapabilities.checkOfPrograms(change.clearCapabilities());
        // Without the lock: the link waits for the owner of the loop, who may wait for the lock.
        boolean byLink = change.shutdown() && link.disable();
        int before = announced(bytes);
        modify(change, change.shutdown() && !byLink);
        if (announced(bytes) != before) {
            link.capabilitiesChanged();
        }
    }

    private synchronized void modify(PortModification change, boolean shutsDown) {
        if (shutsDown) {
            tell(states.shutDown());
        }
        if (change.resetQkeyCounter()) {
            forgivenQkeys = counters.qkeyViolations;
        }
        change.initType().ifPresent(type -> bytes.set(PortInfoAttribute.INIT_TYPE, type));
        int before = announced(bytes);
        Set<PortCapability> after = change.applyTo(PortCapability.ofMask(before));
        int mask = PortCapability.mask(after);
        bytes.capabilities(mask, PortCapabilities.MASK_OF_PROGRAMS);
        if (mask != before && after.contains(PortCapability.CAP_MASK_NOTICE_SUP)) {
            long told = present().get(PortInfoAttribute.CAPABILITY_MASK);
            notices.raise(new PortNotice(PortNotice.Type.CAPABILITY_CHANGE, HcaLimits.PORT, told), after);
        }
    }

    private int ownCapabilities() {
        return PortCapability.mask(PortCapabilities.own(ofDevice, link, memory != null));
    }

    /** Returns the capabilities that programs have set. */
    private static int announced(PortInfoBytes of) {
        return of.capabilities() & PortCapabilities.MASK_OF_PROGRAMS;
    }

    /**
     * Raises a notice about a dropped packet of another partition, at most one per subnet timeout. For the owner of the
     * loop.
     */
    public void badPkey(int pkey, long nowNs) {
        PortInfoBytes now = bytes;
        int announced = announced(now);
        if (announced != 0
                && notices.mayTell(nowNs, PortAttributes.timeoutNs((int) now.get(PortInfoAttribute.SUBNET_TIMEOUT)))) {
            notices.raise(
                    new PortNotice(PortNotice.Type.BAD_PKEY, HcaLimits.PORT, pkey), PortCapability.ofMask(announced));
        }
    }

    /** Returns the oldest notice, or null. */
    public @Nullable PortNotice pollNotice() {
        return notices.poll();
    }

    /** Implements SubnSet(PortInfo). */
    public synchronized void set(PortInfo orders) {
        states.check(orders);
        PortInfo before = present().toPortInfo();
        NonVolatileMemory lasting = memory;
        if (lasting != null && orders.managementKey() != before.managementKey()) {
            lasting.writeManagementKey(orders.managementKey());
        }
        bytes.write(orders);
        setDefaultGid();
        tell(states.follow(orders));
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
        if (after.gidPrefix() != before.gidPrefix() && tables.gids().isDefault()) {
            told.add(EventType.GID_CHANGE);
        }
        if (after.clientReregister()) {
            told.add(EventType.CLIENT_REREGISTER);
        }
        return told;
    }

    /** Stores the changed P_Key table if the port has non-volatile memory, and raises PKEY_CHANGE. */
    public synchronized void pkeysChanged() {
        NonVolatileMemory lasting = memory;
        if (lasting != null) {
            lasting.writePkeys(tables.pkeys().toArray());
        }
        tell(EventType.PKEY_CHANGE);
    }

    private void tell(@Nullable EventType event) {
        if (event != null) {
            events.tell(event, HcaLimits.PORT);
        }
    }
}
