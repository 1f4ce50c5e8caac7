// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.verbs.loop;

import io.rdma4j.base.Errno;
import io.rdma4j.base.RdmaException;
import io.rdma4j.verbs.device.AtomicCapability;
import io.rdma4j.verbs.device.DeviceAttributes;
import io.rdma4j.verbs.device.DeviceCapability;
import io.rdma4j.verbs.device.DeviceLimit;
import io.rdma4j.verbs.device.PortModification;
import io.rdma4j.verbs.spi.ContextEvents;
import io.rdma4j.verbs.spi.ContextOps;
import io.rdma4j.verbs.spi.DeviceOps;
import io.rdma4j.verbs.values.AccessFlag;
import java.util.ArrayList;
import java.util.Collections;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;

/** A device: its queue pairs by number and its keys. The thread that rings a doorbell drives all queue pairs. */
public final class LoopDevice implements DeviceOps {
    private final String name;
    private final Map<Integer, LoopQp> qps = new LinkedHashMap<>();
    private final Map<Integer, LoopMr> mrs = new LinkedHashMap<>();
    private final Map<Integer, LoopMw> windows = new LinkedHashMap<>();
    private final Map<Integer, LoopAh> handles = new LinkedHashMap<>();
    private final Map<Integer, LoopSrq> srqs = new LinkedHashMap<>();
    private final AtomicInteger sleepers = new AtomicInteger();
    private ContextEvents events;
    private int lastQpn = 0x10;
    private int lastKey = 0x100;
    private volatile DeviceAttributes attributes = LoopContext.ATTRIBUTES;
    private Errno refusal;
    private Runnable meanwhile = () -> {};
    private boolean removed;
    private int disposals;
    private boolean understandsOptionalAccess;
    private Set<AccessFlag> lastAccess = Set.of();
    private final List<String> modifications = new ArrayList<>();

    LoopDevice(String name) {
        this.name = name;
    }

    @Override
    public String name() {
        return name;
    }

    @Override
    public long nodeGuid() {
        return 0x0200_00ff_fe00_0001L;
    }

    @Override
    public void remove() {
        removed = true;
    }

    @Override
    public void dispose() {
        disposals++;
    }

    /** For tests: number of calls of {@link #dispose}. */
    public int disposals() {
        return disposals;
    }

    boolean isRemoved() {
        return removed;
    }

    @Override
    public ContextOps open(ContextEvents contextEvents) {
        asked();
        this.events = contextEvents;
        return new LoopContext(this);
    }

    /** For tests: the event callbacks of the last opened context. */
    public ContextEvents events() {
        return events;
    }

    /** For tests: number of calls of beforeBlocking. */
    public int sleepers() {
        return sleepers.get();
    }

    void beforeBlocking() {
        sleepers.incrementAndGet();
    }

    synchronized int add(LoopQp qp) {
        qps.put(++lastQpn, qp);
        return lastQpn;
    }

    synchronized void remove(LoopQp qp) {
        qps.remove(qp.qpn());
    }

    synchronized int add(LoopMr mr) {
        mrs.put(++lastKey, mr);
        return lastKey;
    }

    synchronized void remove(LoopMr mr) {
        mrs.remove(mr.lkey());
    }

    synchronized int nextKey() {
        return ++lastKey;
    }

    synchronized long nextDmaAddress() {
        return (long) ++lastKey << 24;
    }

    synchronized int add(LoopMw window) {
        windows.put(++lastKey, window);
        return lastKey;
    }

    synchronized void remove(LoopMw window) {
        windows.remove(window.handle());
    }

    LoopMw window(int handle) {
        return windows.get(handle);
    }

    synchronized boolean isBound(LoopMr mr) {
        return windows.values().stream().anyMatch(window -> window.region() == mr);
    }

    synchronized int add(LoopAh ah) {
        handles.put(++lastKey, ah);
        return lastKey;
    }

    synchronized void remove(LoopAh ah) {
        handles.remove(ah.handle());
    }

    /** For tests: the address handle with this number. */
    public LoopAh addressHandle(int handle) {
        return handles.get(handle);
    }

    synchronized int add(LoopSrq srq) {
        srqs.put(++lastKey, srq);
        return lastKey;
    }

    synchronized void remove(LoopSrq srq) {
        srqs.remove(srq.number());
    }

    /** For tests that act as the device: the queue that was created last. */
    public LoopSrq lastSrq() {
        return srqs.get(Collections.max(srqs.keySet()));
    }

    LoopSrq srq(int number) {
        return srqs.get(number);
    }

    /** For tests: makes the device support optional rights. */
    public void learnOptionalAccess() {
        understandsOptionalAccess = true;
    }

    boolean understandsOptionalAccess() {
        return understandsOptionalAccess;
    }

    /** For tests: makes the creation of the next object fail. */
    public void refuseNext(Errno errno) {
        refusal = errno;
    }

    /** For tests: runs during the creation of the next object. */
    public void whileAsked(Runnable action) {
        meanwhile = action;
    }

    void asked() {
        Runnable action = meanwhile;
        meanwhile = () -> {};
        action.run();
        Errno errno = refusal;
        refusal = null;
        if (errno != null) {
            throw new RdmaException(errno, "refused by a test");
        }
    }

    void asked(Set<AccessFlag> access) {
        asked();
        lastAccess = access;
    }

    /** For tests: the rights of the last registration. */
    public Set<AccessFlag> lastAccess() {
        return lastAccess;
    }

    DeviceAttributes attributes() {
        return attributes;
    }

    /** For tests: removes capabilities of the device. */
    public void lose(DeviceCapability... capabilities) {
        Set<DeviceCapability> left = EnumSet.copyOf(attributes.capabilities());
        left.removeAll(Set.of(capabilities));
        attributes = LoopContext.attributes(left, attributes.limits(), attributes.maskedAtomicCapability());
    }

    /** For tests: adds capabilities to the device. */
    public void gain(DeviceCapability... capabilities) {
        Set<DeviceCapability> more = EnumSet.copyOf(attributes.capabilities());
        more.addAll(Set.of(capabilities));
        attributes = LoopContext.attributes(more, attributes.limits(), attributes.maskedAtomicCapability());
    }

    void modified(int port, PortModification change) {
        asked();
        modifications.add(port + " " + change.setCapabilities() + " " + change.clearCapabilities());
    }

    /** For tests: the modifications of ports, in order: number, capabilities set, capabilities cleared. */
    public List<String> modifications() {
        return modifications;
    }

    /** For tests: changes a limit of the device. */
    public void limit(DeviceLimit limit, long value) {
        Map<DeviceLimit, Long> limits = new EnumMap<>(attributes.limits());
        limits.put(limit, value);
        attributes = LoopContext.attributes(attributes.capabilities(), limits, attributes.maskedAtomicCapability());
    }

    /** For tests: changes the capability for masked atomics. */
    public void maskedAtomics(AtomicCapability capability) {
        attributes = LoopContext.attributes(attributes.capabilities(), attributes.limits(), capability);
    }

    /** For tests that act as the device. */
    public LoopQp qp(int qpn) {
        return Objects.requireNonNull(find(qpn));
    }

    LoopQp find(int qpn) {
        return qps.get(qpn);
    }

    LoopMr mr(int lkey) {
        return mrs.get(lkey);
    }

    /** Drives every queue pair until it has no work. */
    synchronized void progress() {
        for (LoopQp qp : qps.values()) {
            qp.run();
        }
    }
}
