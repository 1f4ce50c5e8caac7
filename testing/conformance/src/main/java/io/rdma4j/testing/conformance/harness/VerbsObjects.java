// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.testing.conformance.harness;

import io.rdma4j.base.Errno;
import io.rdma4j.base.RdmaException;
import io.rdma4j.verbs.AddressHandle;
import io.rdma4j.verbs.CompletionChannel;
import io.rdma4j.verbs.CompletionQueue;
import io.rdma4j.verbs.Context;
import io.rdma4j.verbs.DeviceMemory;
import io.rdma4j.verbs.FastMemoryRegion;
import io.rdma4j.verbs.MemoryRegion;
import io.rdma4j.verbs.MemoryWindow;
import io.rdma4j.verbs.ProtectionDomain;
import io.rdma4j.verbs.QpInitAttributes;
import io.rdma4j.verbs.QueuePair;
import io.rdma4j.verbs.SharedReceiveQueue;
import io.rdma4j.verbs.SrqInitAttributes;
import io.rdma4j.verbs.WorkQueue;
import io.rdma4j.verbs.XrcDomain;
import io.rdma4j.verbs.kernel.DmaMapping;
import io.rdma4j.verbs.kernel.DmaScatterMapping;
import io.rdma4j.verbs.kernel.DmaTable;
import io.rdma4j.verbs.kernel.FastRegPageList;
import io.rdma4j.verbs.kernel.Fmr;
import io.rdma4j.verbs.kernel.FmrPool;
import io.rdma4j.verbs.kernel.FmrPoolAttributes;
import io.rdma4j.verbs.kernel.PinnedPages;
import io.rdma4j.verbs.values.AccessFlag;
import io.rdma4j.verbs.values.DmaDirection;
import io.rdma4j.verbs.values.FmrAttributes;
import io.rdma4j.verbs.wr.WindowType;
import java.lang.foreign.MemorySegment;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.function.Supplier;

/** One object of each kind that the device supports, all of one context. */
public final class VerbsObjects implements AutoCloseable {
    static final int PAGE = 4096;
    private static final Set<AccessFlag> RIGHTS = Set.of(AccessFlag.LOCAL_WRITE, AccessFlag.MW_BIND);

    /** All kinds that a device may support. */
    public static final List<Class<?>> KINDS = List.of(
            Context.class,
            ProtectionDomain.class,
            CompletionChannel.class,
            CompletionQueue.class,
            XrcDomain.class,
            SharedReceiveQueue.class,
            WorkQueue.class,
            QueuePair.class,
            AddressHandle.class,
            MemoryRegion.class,
            MemoryWindow.class,
            FastMemoryRegion.class,
            DeviceMemory.class,
            DmaTable.class,
            DmaMapping.class,
            DmaScatterMapping.class,
            PinnedPages.class,
            FastRegPageList.class,
            Fmr.class,
            FmrPool.class);

    /** Objects by class, in the order of their creation. */
    private final Map<Class<?>, Object> objects = new LinkedHashMap<>();

    private final MemorySegment memory;

    public VerbsObjects(ConformanceTarget target, Context context) {
        int gidIndex = target.gidIndex();
        memory = target.allocate(4 * PAGE, PAGE);
        objects.put(Context.class, context);
        ProtectionDomain pd = keep(ProtectionDomain.class, context.allocatePd());
        CompletionChannel channel = keep(CompletionChannel.class, context.createCompletionChannel());
        CompletionQueue cq = keep(CompletionQueue.class, context.createCq(8, channel));
        add(XrcDomain.class, context::openXrcDomain);
        add(SharedReceiveQueue.class, () -> pd.createSrq(SrqInitAttributes.basic(8, 1)));
        add(WorkQueue.class, () -> pd.createWorkQueue(cq, 8, 1));
        add(QueuePair.class, () -> pd.createQp(QpInitAttributes.builder(cq).build()));
        add(AddressHandle.class, () -> pd.createAddressHandle(VerbArguments.pathTo(context, gidIndex)));
        add(MemoryRegion.class, () -> pd.registerMemory(memory, RIGHTS));
        add(MemoryWindow.class, () -> pd.allocateWindow(WindowType.TYPE_1));
        add(FastMemoryRegion.class, () -> pd.allocateFastRegion(4));
        add(DeviceMemory.class, () -> context.allocateDeviceMemory(PAGE, 0));
        DmaTable dma = keep(DmaTable.class, DmaTable.of(context));
        add(DmaMapping.class, () -> dma.map(memory, DmaDirection.BIDIRECTIONAL));
        add(DmaScatterMapping.class, () -> dma.map(List.of(memory), DmaDirection.BIDIRECTIONAL));
        add(PinnedPages.class, () -> dma.pin(memory));
        add(FastRegPageList.class, () -> dma.allocatePageList(4));
        add(Fmr.class, () -> Fmr.allocate(pd, FmrAttributes.of(4), Set.of(AccessFlag.LOCAL_WRITE)));
        add(
                FmrPool.class,
                () -> FmrPool.create(pd, FmrPoolAttributes.of(2, FmrAttributes.of(4), Set.of(AccessFlag.LOCAL_WRITE))));
    }

    private <T> T keep(Class<T> type, T object) {
        objects.put(type, object);
        return object;
    }

    /** Creates an object, unless the device does not support its kind. */
    private <T> void add(Class<T> type, Supplier<T> maker) {
        try {
            keep(type, maker.get());
        } catch (RdmaException e) {
            if (e.errno() != Errno.EOPNOTSUPP) {
                throw e;
            }
        }
    }

    /** Objects by class. */
    Map<Class<?>, Object> all() {
        return objects;
    }

    public boolean has(Class<?> type) {
        return objects.containsKey(type);
    }

    public <T> T get(Class<T> type) {
        return type.cast(Objects.requireNonNull(objects.get(type), type::getName));
    }

    MemorySegment memory() {
        return memory;
    }

    /** Closes all but the context, in reverse order. */
    @Override
    public void close() {
        for (Object object : List.copyOf(objects.values()).reversed()) {
            if (object instanceof AutoCloseable closing && !(object instanceof Context)) {
                try {
                    closing.close();
                } catch (RuntimeException e) {
                    throw e;
                } catch (Exception e) {
                    throw new AssertionError(object + " does not close", e);
                }
            }
        }
    }
}
