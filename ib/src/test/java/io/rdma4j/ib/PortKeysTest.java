// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.ib;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.rdma4j.base.RdmaException;
import io.rdma4j.sm.ManagementKey;
import io.rdma4j.sm.SubnetOptions;
import io.rdma4j.sm.SubnetPartition;
import io.rdma4j.sm.SubnetPartition.Membership;
import io.rdma4j.testing.ledger.Covers;
import io.rdma4j.verbs.Context;
import io.rdma4j.verbs.Host;
import io.rdma4j.verbs.device.PortCapability;
import io.rdma4j.verbs.device.PortState;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** M_Keys and P_Keys that the ports of a subnet keep in files, in virtual time. A new fabric is a restart of all. */
class PortKeysTest {
    private static final long SECOND_NS = 1_000_000_000;
    private static final ManagementKey KEY = new ManagementKey(0x1234, 2, 25);
    private static final int STORAGE = 0x12;

    @TempDir
    private Path directory;

    private VirtualFabric tree() {
        return new VirtualFabric(2, 1, 1, null, directory.resolve("nvram"));
    }

    private static SubnetOptions options(VirtualFabric tree) {
        SubnetPartition storage =
                new SubnetPartition(STORAGE, Membership.NONE, Map.of(tree.portGuid(1), Membership.FULL));
        return SubnetOptions.DEFAULT.managementKey(KEY).partitions(storage);
    }

    private static IbManager manage(VirtualFabric tree, SubnetOptions options) {
        return tree.manage(tree.hosts.getFirst(), options);
    }

    private static Set<PortCapability> capabilities(Context context) {
        return context.queryPort(1).capabilities();
    }

    private static void configure(VirtualFabric tree) {
        try (IbManager manager = manage(tree, options(tree))) {
            tree.runUntilUp(manager);
            assertThat(manager.isUp()).isTrue();
        }
    }

    @Test
    @Covers({"PORT-27", "PORT-28", "SM-7"})
    void keysSurviveARestart() {
        try (VirtualFabric tree = tree()) {
            configure(tree);
        }
        try (VirtualFabric tree = tree();
                Host host = tree.open(1);
                Context context = host.open("ib1")) {
            assertThat(capabilities(context)).contains(PortCapability.MKEY_NVRAM, PortCapability.PKEY_NVRAM);
            assertThat(context.port(1).info().managementKey()).isEqualTo(KEY.key());
            assertThat(context.queryPkey(1, 0)).isEqualTo(0x7FFF);
            assertThat(context.queryPkey(1, 1)).isEqualTo(0x8000 | STORAGE);
            assertThat(context.queryPort(1).lid()).as("only keys are kept").isZero();

            configure(tree);
            assertThat(context.queryPort(1).state()).isEqualTo(PortState.ACTIVE);
        }
    }

    /** A manager without the key gets no answers, and takes the ports over when the lease has ended. */
    @Test
    @Covers({"PORT-27", "SM-7"})
    void aStrangerManagesAfterTheLease() {
        try (VirtualFabric tree = tree()) {
            configure(tree);
        }
        try (VirtualFabric tree = tree();
                Host host = tree.open(1);
                Context context = host.open("ib1");
                IbManager stranger = manage(tree, SubnetOptions.DEFAULT)) {
            tree.run(20 * SECOND_NS);
            assertThat(stranger.isUp()).isFalse();
            assertThat(context.queryPort(1).state()).isEqualTo(PortState.INIT);

            tree.run(60 * SECOND_NS);
            assertThat(stranger.isUp()).isTrue();
            assertThat(context.queryPort(1).state()).isEqualTo(PortState.ACTIVE);
            assertThat(context.port(1).info().managementKey()).isZero();
        }
    }

    @Test
    void withoutAFileNothingIsKeptOrAnnounced() {
        try (VirtualFabric tree = new VirtualFabric(2, 1, 1, null)) {
            configure(tree);
            try (Host host = tree.open(1);
                    Context context = host.open("ib1")) {
                assertThat(capabilities(context)).doesNotContain(PortCapability.MKEY_NVRAM, PortCapability.PKEY_NVRAM);
            }
        }
    }

    /** The port still obeys the manager. */
    @Test
    void aFileThatCannotBeWrittenIsNoMemory() throws IOException {
        try (VirtualFabric tree = tree();
                Host host = tree.open(1);
                Context context = host.open("ib1")) {
            assertThat(capabilities(context)).contains(PortCapability.MKEY_NVRAM);
            Files.delete(directory.resolve("nvram"));
            configure(tree);

            assertThat(capabilities(context)).doesNotContain(PortCapability.MKEY_NVRAM, PortCapability.PKEY_NVRAM);
            assertThat(context.port(1).info().managementKey()).isEqualTo(KEY.key());
        }
    }

    @Test
    void keysAreChecked() {
        assertThatExceptionOfType(RdmaException.class)
                .isThrownBy(() -> new ManagementKey(1, 4, 0))
                .withMessageContaining("4");
        assertThatExceptionOfType(RdmaException.class)
                .isThrownBy(() -> new ManagementKey(1, 0, 0x10000))
                .withMessageContaining("65536");
    }
}
