// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.testing.conformance.traffic;

import static io.rdma4j.testing.conformance.harness.Refusals.assertRefused;
import static org.assertj.core.api.Assertions.assertThat;

import io.rdma4j.base.Errno;
import io.rdma4j.testing.conformance.harness.Bytes;
import io.rdma4j.testing.conformance.harness.ConformanceCases;
import io.rdma4j.testing.conformance.harness.ConformanceTarget;
import io.rdma4j.testing.endpoint.Endpoint;
import io.rdma4j.testing.endpoint.EndpointSetup;
import io.rdma4j.testing.endpoint.LinkSetup;
import io.rdma4j.testing.endpoint.QpPair;
import io.rdma4j.testing.ledger.Covers;
import io.rdma4j.verbs.MemoryRegion;
import io.rdma4j.verbs.SendRequest;
import io.rdma4j.verbs.device.DeviceCapability;
import io.rdma4j.verbs.values.AccessFlag;
import io.rdma4j.verbs.values.QpAttributes;
import io.rdma4j.verbs.wr.FlushLevel;
import io.rdma4j.verbs.wr.FlushType;
import io.rdma4j.verbs.wr.WcOpcode;
import io.rdma4j.verbs.wr.WcStatus;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.channels.FileChannel;
import java.nio.channels.FileChannel.MapMode;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Set;
import java.util.function.Supplier;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/** Cases for FLUSH: {@code rc_flush}, {@code rc_flush_type_violate} of {@code test_qpex}. */
public abstract class FlushCases extends ConformanceCases {
    private static final Set<AccessFlag> GLOBAL =
            Set.of(AccessFlag.LOCAL_WRITE, AccessFlag.REMOTE_WRITE, AccessFlag.FLUSH_GLOBAL);
    private static final Set<AccessFlag> PERSISTENT = Set.of(
            AccessFlag.LOCAL_WRITE, AccessFlag.REMOTE_WRITE, AccessFlag.FLUSH_GLOBAL, AccessFlag.FLUSH_PERSISTENT);
    private static final int LENGTH = 10_000;

    @TempDir
    private Path directory;

    private QpPair pair;
    private Endpoint a;
    private Endpoint b;

    protected FlushCases(Supplier<? extends ConformanceTarget> opener) {
        super(opener);
    }

    /** The queue pairs permit all operations, so that the rights of regions decide. */
    @BeforeEach
    void connect() {
        require(DeviceCapability.FLUSH_GLOBAL);
        pair = connected(EndpointSetup.OPEN.remoteRights(GLOBAL), LinkSetup.DEFAULT);
        a = pair.a();
        b = pair.b();
        b.qp.modify(QpAttributes.builder().accessFlags(PERSISTENT).build());
    }

    /** {@code test_qp_ex_rc_flush}. */
    @ParameterizedTest
    @EnumSource(FlushLevel.class)
    @Covers({"WR-23", "MR-23", "RXE-184"})
    void aFlushCompletesAfterTheWritesBeforeIt(FlushLevel level) {
        Bytes.fill(a.memory.asSlice(0, LENGTH), 1);
        a.qp.startSend()
                .rdmaWrite(b.mr.rkey(), b.remote(64))
                .sge(a.mr.lkey(), a.mr.address(), LENGTH)
                .wrId(5)
                .signaled()
                .flush(b.mr.rkey(), b.remote(64), LENGTH, FlushType.GLOBAL.bit(), level)
                .complete();
        assertThat(a.awaitSend().opcode()).isEqualTo(WcOpcode.FLUSH);
        Bytes.assertHolds(b.memory.asSlice(64, LENGTH), 1);
    }

    /** Data flushed to persistence are in the file. */
    @ParameterizedTest
    @EnumSource(FlushLevel.class)
    @Covers({"WR-23", "MR-24", "RXE-184"})
    void aPersistentFlushReachesTheFile(FlushLevel level) throws IOException {
        require(DeviceCapability.FLUSH_PERSISTENT);
        Path file = directory.resolve("lasting");
        try (Arena arena = Arena.ofShared();
                FileChannel channel = open(file);
                MemoryRegion mapped = b.pd.registerMemory(map(channel, arena), PERSISTENT)) {
            Bytes.fill(a.memory.asSlice(0, LENGTH), 2);
            a.qp.startSend()
                    .rdmaWrite(mapped.rkey(), mapped.iova())
                    .sge(a.mr.lkey(), a.mr.address(), LENGTH)
                    .complete();
            a.qp.postSend(SendRequest.flush(
                            mapped.rkey(), mapped.iova(), LENGTH, Set.of(FlushType.GLOBAL, FlushType.PERSISTENT), level)
                    .signaled()
                    .build());
            a.awaitSend();
            Bytes.assertHolds(MemorySegment.ofArray(Files.readAllBytes(file)), 2);
        }
    }

    private static FileChannel open(Path file) throws IOException {
        return FileChannel.open(file, StandardOpenOption.CREATE, StandardOpenOption.READ, StandardOpenOption.WRITE);
    }

    private static MemorySegment map(FileChannel channel, Arena arena) throws IOException {
        return channel.map(MapMode.READ_WRITE, 0, LENGTH, arena);
    }

    /** Volatile memory cannot guarantee persistence. */
    @Test
    @Covers("MR-24")
    void memoryThatDoesNotLastIsNotRegisteredForPersistence() {
        require(DeviceCapability.FLUSH_PERSISTENT);
        MemorySegment lost = Arena.ofAuto().allocate(LENGTH, 4096);
        assertRefused(Errno.EINVAL, () -> b.pd.registerMemory(lost, PERSISTENT));
    }

    /** {@code test_qp_ex_rc_flush_type_violate}: a level that the region does not permit. */
    @ParameterizedTest
    @EnumSource(FlushLevel.class)
    @Covers({"MR-24", "MR-27", "CQ-38"})
    void aPersistentFlushNeedsTheRight(FlushLevel level) {
        a.qp.startSend()
                .flush(b.mr.rkey(), b.remote(0), 64, FlushType.PERSISTENT.bit(), level)
                .complete();
        assertThat(a.awaitSends(1).getFirst().status()).isEqualTo(WcStatus.REM_ACCESS_ERR);
    }

    /** With the level "region" the range is ignored; with "range" it must be inside the region. */
    @ParameterizedTest
    @CsvSource({"MR, SUCCESS", "RANGE, REM_ACCESS_ERR"})
    void onlyARangeHasToLieInItsRegion(FlushLevel level, WcStatus status) {
        a.qp.startSend()
                .signaled()
                .flush(b.mr.rkey(), b.remote(b.memory.byteSize()), 64, FlushType.GLOBAL.bit(), level)
                .complete();
        assertThat(a.awaitSends(1).getFirst().status()).isEqualTo(status);
    }

    @Test
    void aFlushOfNothingSucceeds() {
        a.qp.startSend()
                .signaled()
                .flush(b.mr.rkey(), b.remote(0), 0, FlushType.GLOBAL.bit(), FlushLevel.RANGE)
                .complete();
        a.awaitSend();
    }

    @Test
    void aFlushNeedsATypeAndALength() {
        assertRefused(
                Errno.EINVAL,
                () -> a.qp.startSend()
                        .flush(b.mr.rkey(), b.remote(0), 8, 0, FlushLevel.RANGE)
                        .complete());
        assertRefused(
                Errno.EINVAL,
                () -> a.qp.startSend()
                        .flush(b.mr.rkey(), b.remote(0), -1, FlushType.GLOBAL.bit(), FlushLevel.RANGE)
                        .complete());
    }
}
