// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.testing.conformance.mr;

import static io.rdma4j.testing.conformance.harness.Refusals.assertRefused;
import static org.assertj.core.api.Assertions.assertThat;

import io.rdma4j.base.Errno;
import io.rdma4j.testing.conformance.harness.Bytes;
import io.rdma4j.testing.conformance.harness.Capability;
import io.rdma4j.testing.conformance.harness.ConformanceCases;
import io.rdma4j.testing.conformance.harness.ConformanceTarget;
import io.rdma4j.testing.conformance.harness.RegionTraffic;
import io.rdma4j.testing.conformance.harness.RemoteOperation;
import io.rdma4j.testing.endpoint.EndpointSetup;
import io.rdma4j.testing.endpoint.LinkSetup;
import io.rdma4j.testing.endpoint.QpPair;
import io.rdma4j.testing.ledger.Covers;
import io.rdma4j.verbs.MemoryRegion;
import io.rdma4j.verbs.values.AccessFlag;
import io.rdma4j.verbs.values.QpAttributes;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.channels.FileChannel;
import java.nio.channels.FileChannel.MapMode;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.HashSet;
import java.util.Set;
import java.util.function.Supplier;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Cases for regions whose pages are faulted in when they are used: {@code test_odp}. The memory is a sparse file
 * without data.
 */
public abstract class OnDemandCases extends ConformanceCases {
    private static final long FILE_BYTES = 256L << 20;
    private static final long OFFSET = (128L << 20) + 4090;

    @TempDir
    private Path directory;

    private QpPair pair;
    private Path file;
    private MemoryRegion region;

    protected OnDemandCases(Supplier<? extends ConformanceTarget> opener) {
        super(opener);
    }

    @BeforeEach
    void prepare() throws IOException {
        require(Capability.ON_DEMAND_PAGING);
        Set<AccessFlag> access = new HashSet<>(RegionTraffic.RIGHTS);
        access.add(AccessFlag.FLUSH_GLOBAL);
        pair = connected(EndpointSetup.OPEN, LinkSetup.DEFAULT);
        pair.b().qp.modify(QpAttributes.builder().accessFlags(access).build());
        file = directory.resolve("sparse");
        access.add(AccessFlag.ON_DEMAND);
        region = closing(pair.b().pd.registerMemory(mapped(), access));
    }

    private MemorySegment mapped() throws IOException {
        try (FileChannel channel =
                FileChannel.open(file, StandardOpenOption.CREATE, StandardOpenOption.READ, StandardOpenOption.WRITE)) {
            return channel.map(MapMode.READ_WRITE, 0, FILE_BYTES, Arena.ofAuto());
        }
    }

    /**
     * {@code test_odp_rc_traffic}, {@code test_odp_rc_rdma_read}, {@code test_odp_rc_rdma_write},
     * {@code test_odp_rc_atomic_fetch_and_add}.
     */
    @Test
    @Covers({"MR-21", "RXE-41"})
    void messagesReachPagesThatNobodyHasTouched() throws IOException {
        assertThat(region.access()).contains(AccessFlag.ON_DEMAND);
        RegionTraffic traffic = new RegionTraffic(pair, region);
        traffic.everything(OFFSET);
        traffic.writeInto(6, OFFSET);
        MemorySegment content = mapped();
        Bytes.assertHolds(content.asSlice(OFFSET, RegionTraffic.LENGTH), 6);
        Bytes.assertUntouched(content.asSlice(OFFSET - 4090, 4000));
    }

    /**
     * {@code test_odp_qp_ex_rc_flush}, {@code test_odp_qp_ex_rc_atomic_write} and all others: each operation of the
     * peer may be the first access to a page.
     */
    @ParameterizedTest
    @EnumSource
    @Covers("MR-21")
    void everyRemoteOperationMayComeFirst(RemoteOperation operation) {
        require(operation.capability());
        if (operation == RemoteOperation.WRITE_WITH_IMMEDIATE) {
            pair.b().postReceive(1, 0, 0);
        }
        operation.post(pair.a(), 5, region.rkey(), region.iova() + (OFFSET & -Long.BYTES));
        assertThat(pair.a().awaitSend().wrId()).isEqualTo(5);
    }

    /** {@code test_odp_implicit_rc_traffic} has no counterpart: no device registers the whole address space. */
    @Test
    @Covers("MR-21")
    @SuppressWarnings("restricted") // a program would request the whole address space in this way
    void theWholeAddressSpaceIsRefused() {
        MemorySegment everything = MemorySegment.NULL.reinterpret(Long.MAX_VALUE);
        assertRefused(
                Errno.EOPNOTSUPP,
                () -> pair.b().pd.registerMemory(everything, Set.of(AccessFlag.LOCAL_WRITE, AccessFlag.ON_DEMAND)));
    }
}
