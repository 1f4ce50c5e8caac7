// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.uverbs.server;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdma4j.base.Gid;
import io.rdma4j.testing.endpoint.LinkSetup;
import io.rdma4j.testing.endpoint.Transitions;
import io.rdma4j.verbs.AddressHandle;
import io.rdma4j.verbs.AsyncEvent;
import io.rdma4j.verbs.CompletionQueue;
import io.rdma4j.verbs.Context;
import io.rdma4j.verbs.DeviceMemory;
import io.rdma4j.verbs.FastMemoryRegion;
import io.rdma4j.verbs.Host;
import io.rdma4j.verbs.MemoryRegion;
import io.rdma4j.verbs.MemoryWindow;
import io.rdma4j.verbs.QpInitAttributes;
import io.rdma4j.verbs.QueuePair;
import io.rdma4j.verbs.ReceiveRequest;
import io.rdma4j.verbs.Reregistration;
import io.rdma4j.verbs.SendRequest;
import io.rdma4j.verbs.SharedReceiveQueue;
import io.rdma4j.verbs.SrqInitAttributes;
import io.rdma4j.verbs.WindowBinding;
import io.rdma4j.verbs.XrcDomain;
import io.rdma4j.verbs.kernel.DmaMapping;
import io.rdma4j.verbs.kernel.DmaTable;
import io.rdma4j.verbs.kernel.Fmr;
import io.rdma4j.verbs.values.AccessFlag;
import io.rdma4j.verbs.values.AddressVector;
import io.rdma4j.verbs.values.DmaDirection;
import io.rdma4j.verbs.values.FmrAttributes;
import io.rdma4j.verbs.values.QpAttributes;
import io.rdma4j.verbs.values.QpCapabilities;
import io.rdma4j.verbs.values.QpState;
import io.rdma4j.verbs.values.QpType;
import io.rdma4j.verbs.values.ResourceKind;
import io.rdma4j.verbs.values.SrqAttributes;
import io.rdma4j.verbs.wr.SendFlag;
import io.rdma4j.verbs.wr.WcStatus;
import io.rdma4j.verbs.wr.WindowType;
import io.rdma4j.verbs.wr.WorkCompletion;
import io.rdma4j.verbs.wr.WrOpcode;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;

/** A program that uses each verb of a device, and looks at what the verb did. */
final class EveryVerb {
    private static final int PAGE = 4096;
    private static final Gid GROUP = Gid.parse("::ffff:239.1.2.3");

    private static final Set<AccessFlag> DEVICE_MEMORY_RIGHTS = Set.of(AccessFlag.LOCAL_WRITE, AccessFlag.ZERO_BASED);

    private final Host host;
    private final Context context;
    private final Station station;
    private final MemorySegment pages;

    /** @param folder for memory that other processes can map */
    EveryVerb(Host host, Context context, Path folder) {
        this.host = host;
        this.context = context;
        this.station = new Station(context, folder);
        this.pages = context.allocateBuffer(4 * PAGE, PAGE, Arena.ofAuto());
    }

    void execute() throws InterruptedException {
        queryTheDevice();
        sendAndWait();
        useTheCompletionQueue();
        changeTheQueuePair();
        changeMemory();
        useDeviceMemory();
        useWindowsAndFastRegions();
        mapMemory();
        shareReceives();
        connectExtended();
        station.close();
    }

    private void queryTheDevice() {
        assertThat(context.completionVectors()).isPositive();
        assertThat(context.understandsOptionalAccess()).isTrue();
        assertThat(context.queryDevice().physicalPortCount()).isOne();
        assertThat(context.completionFields()).isNotEmpty();
        assertThat(context.completionQueueFlags()).isNotNull();
        assertThat(context.queryPort(1).gidTableLength()).isPositive();
        assertThat(context.queryGid(1, 0)).isNotEqualTo(Gid.ZERO);
        assertThat(context.queryPkey(1, 0)).isNotZero();
        assertThat(context.queryHwCounters(1)).isNotEmpty();
        assertThat(context.device().guid()).isNotZero();
        assertThat(context.device().nodeType()).isNotNull();
        assertThat(context.device().resourcesOfAllProcesses())
                .anyMatch(resource -> resource.kind() == ResourceKind.QP && resource.id() == station.qp.qpn());
        assertThat(host.devices()).contains(context.device());
    }

    /** Until the threads of the device have slept once, so that the doorbell is a command. */
    private void sendAndWait() throws InterruptedException {
        station.connect();
        for (int round = 0; round < 20; round++) {
            TimeUnit.MILLISECONDS.sleep(5);
            station.cq.requestNotification(false);
            station.post();
            assertThat(station.channel.getEvent()).isSameAs(station.cq);
            station.cq.acknowledgeEvents(1);
            station.checkArrived();
        }
    }

    private void useTheCompletionQueue() {
        try (CompletionQueue cq = context.createCq(4)) {
            int before = cq.capacity();
            cq.resize(before + 1);
            assertThat(cq.capacity()).isGreaterThan(before);
            cq.moderate(2, 10);
            cq.requestNotificationAt(2);
            assertThat(cq.peek(1)).isZero();
        }
    }

    private void changeTheQueuePair() throws InterruptedException {
        assertThat(station.qp.initAttributes().capabilities()).isNotNull();
        assertThat(station.qp.queryDataInOrder(WrOpcode.SEND)).isNotNull();
        station.qp.modify(
                QpAttributes.builder().state(QpState.SQD).sqdAsyncNotify(true).build());
        AsyncEvent event = context.getAsyncEvent();
        assertThat(event.queuePair()).isSameAs(station.qp);
        context.acknowledgeAsyncEvent(event);
        assertThat(station.qp.query().state()).isEqualTo(QpState.SQD);
        station.qp.modify(QpAttributes.builder().state(QpState.RTS).build());
        AddressVector path = path();
        try (QueuePair datagrams = station.pd.createQp(
                        QpInitAttributes.builder(station.cq).type(QpType.UD).build());
                AddressHandle handle = station.pd.createAddressHandle(path)) {
            datagrams.attachMulticast(GROUP, 0);
            datagrams.detachMulticast(GROUP, 0);
            datagrams.modify(QpAttributes.builder().state(QpState.RESET).build());
            handle.modify(path);
            assertThat(handle.query()).isEqualTo(path);
        }
    }

    private AddressVector path() {
        return AddressVector.roce(1, context.queryGid(1, 0), 0);
    }

    private void changeMemory() {
        try (MemoryRegion region = station.pd.registerMemory(pages, Set.of(AccessFlag.LOCAL_WRITE))) {
            int before = region.rkey();
            region.reregister(
                    Reregistration.empty().withAccess(Set.of(AccessFlag.LOCAL_WRITE, AccessFlag.REMOTE_READ)));
            assertThat(region.rkey()).as("the key of the same memory").isEqualTo(before);
            assertThat(region.lkey()).isNotZero();
        }
    }

    private void useDeviceMemory() {
        try (DeviceMemory memory = context.allocateDeviceMemory(PAGE, 0);
                MemoryRegion region = station.pd.registerDeviceMemory(memory, 0, PAGE, DEVICE_MEMORY_RIGHTS)) {
            MemorySegment value = Arena.ofAuto().allocateFrom(ValueLayout.JAVA_LONG, 77);
            memory.write(8, value);
            MemorySegment read = Arena.ofAuto().allocate(8);
            memory.read(8, read);
            assertThat(read.get(ValueLayout.JAVA_LONG, 0)).isEqualTo(77);
            assertThat(region.lengthBytes()).isEqualTo(PAGE);
        }
    }

    private void useWindowsAndFastRegions() {
        Set<AccessFlag> rights = Set.of(AccessFlag.LOCAL_WRITE, AccessFlag.MW_BIND);
        try (MemoryRegion region = station.pd.registerMemory(pages, rights);
                MemoryWindow window = station.pd.allocateWindow(WindowType.TYPE_1);
                FastMemoryRegion fast = station.pd.allocateFastRegion(4)) {
            window.bind(
                    station.qp,
                    1,
                    Set.of(),
                    WindowBinding.of(region, region.iova(), PAGE, Set.of(AccessFlag.REMOTE_READ)));
            station.qp.postSend(
                    SendRequest.send().sge(station.region.sge(0, 8)).signaled().build());
            station.qp.postReceive(ReceiveRequest.of(1, station.region.sge(0, 8)));
            succeeded(station.cq, 2);
            assertThat(window.handle()).isNotZero();
            fast.map(List.of(pages));
            assertThat(fast.lengthBytes()).isEqualTo(pages.byteSize());
            assertThat(fast.handle()).isNotZero();
            window.bind(station.qp, 1, Set.of(SendFlag.SIGNALED), WindowBinding.of(region, region.iova(), 0, Set.of()));
            succeeded(station.cq, 1);
        }
    }

    private void mapMemory() {
        DmaTable dma = DmaTable.of(context);
        assertThat(context.localDmaLkey()).isNotZero();
        try (DmaMapping mapping = dma.map(pages, DmaDirection.BIDIRECTIONAL);
                MemoryRegion region = station.pd.dmaRegion(Set.of(AccessFlag.REMOTE_READ))) {
            dma.syncForCpu(mapping.address(), pages.byteSize(), DmaDirection.BIDIRECTIONAL);
            dma.syncForDevice(mapping.address(), pages.byteSize(), DmaDirection.BIDIRECTIONAL);
            assertThat(region.rkey()).isNotZero();
        }
        try (Fmr fmr = Fmr.allocate(station.pd, FmrAttributes.of(4), Set.of(AccessFlag.LOCAL_WRITE))) {
            fmr.map(List.of(pages), 0);
            assertThat(fmr.rkey()).isNotZero();
            fmr.unmap();
        }
    }

    private void shareReceives() {
        try (SharedReceiveQueue srq = station.pd.createSrq(SrqInitAttributes.basic(8, 1))) {
            srq.postReceive(ReceiveRequest.of(1, station.region.sge(0, 8)));
            srq.armLimit(1);
            assertThat(srq.query().limit()).isOne();
            srq.resize(64);
            assertThat(srq.query().maxWr()).isGreaterThanOrEqualTo(64);
        }
    }

    private void connectExtended() {
        XrcDomain domain = context.openXrcDomain();
        SharedReceiveQueue srq =
                station.pd.createSrq(SrqInitAttributes.xrc(new SrqAttributes(8, 1, 0), domain, station.cq));
        QueuePair target =
                station.pd.createQp(QpInitAttributes.xrcTarget(domain).build());
        QueuePair opened = domain.openQp(target.qpn());
        QueuePair initiator = station.pd.createQp(QpInitAttributes.builder(station.cq)
                .type(QpType.XRC_INI)
                .capabilities(new QpCapabilities(4, 0, 1, 0, 0))
                .build());
        LinkSetup link = LinkSetup.DEFAULT;
        Transitions.connect(initiator, Set.of(), link, target.qpn(), path());
        Transitions.connect(opened, Set.of(), link, initiator.qpn(), path());
        srq.postReceive(ReceiveRequest.of(5, station.region.sge(0, 100)));
        initiator.postSend(SendRequest.send()
                .xrcSrq(srq.number())
                .sge(station.region.sge(200, 100))
                .signaled()
                .build());
        assertThat(succeeded(station.cq, 2)).extracting(WorkCompletion::wrId).contains(5L);
        for (AutoCloseable object : List.of(initiator, opened, target, srq, domain)) {
            close(object);
        }
    }

    private static void close(AutoCloseable object) {
        try {
            object.close();
        } catch (Exception e) {
            throw new AssertionError(object + " does not close", e);
        }
    }

    private static List<WorkCompletion> succeeded(CompletionQueue cq, int count) {
        List<WorkCompletion> done = new ArrayList<>();
        while (done.size() < count) {
            done.addAll(cq.poll(count));
        }
        assertThat(done).extracting(WorkCompletion::status).containsOnly(WcStatus.SUCCESS);
        return done;
    }
}
