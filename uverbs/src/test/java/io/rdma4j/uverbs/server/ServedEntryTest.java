// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.uverbs.server;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdma4j.base.Errno;
import io.rdma4j.testing.ledger.Covers;
import io.rdma4j.uverbs.abi.AttributeEncoding;
import io.rdma4j.uverbs.abi.Frame;
import io.rdma4j.verbs.Context;
import io.rdma4j.verbs.Device;
import io.rdma4j.verbs.Host;
import io.rdma4j.verbs.device.NodeType;
import io.rdma4j.verbs.local.RunDirectory;
import io.rdma4j.verbs.spi.FoundDevice;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The entry of a served device in the run directory, and the version of the commands that it names. */
@Timeout(value = 60, unit = TimeUnit.SECONDS)
class ServedEntryTest extends ServerFixture {
    @Test
    @Covers({"UVERBS-12", "UVERBS-20", "UVERBS-25"})
    void theDriverForRxeTakesItByItsIdAndKnowsItsVersion() {
        FoundDevice found = served.directory.scan().getFirst();
        assertThat(found.name()).isEqualTo("rxe0");
        assertThat(found.driverId()).isEqualTo(14);
        assertThat(found.abiVersion()).isEqualTo(3);

        Device near = served.near.device("rxe0");
        assertThat(near.nodeType()).isEqualTo(served.device.nodeType());
        assertThat(near.guid()).isEqualTo(served.device.guid()).isNotZero();
    }

    @Test
    @Covers("UVERBS-25")
    void aServerOfALaterVersionHasNoDriver() throws IOException {
        Files.writeString(served.server.entry().resolve("abi_version"), "4\n");
        assertThat(served.near.devices()).isEmpty();
    }

    /**
     * The device is found although these entries beside it are skipped: one without a name, one with files that are not
     * text, one without a socket, and one that is a file.
     */
    @Test
    @Covers("UVERBS-11")
    void entriesThatCannotBeReadDoNotHideTheDeviceBetweenThem() throws IOException {
        Path root = served.directory.root();
        Path good = served.server.entry();
        copyEntry(good, root.resolve("uverbs1"), "control", "ibdev");
        Files.write(root.resolve("uverbs1").resolve("ibdev"), new byte[] {(byte) 0xC3, 0, (byte) 0xFF});
        Path endless = Files.createDirectory(root.resolve("uverbs2"));
        Files.createDirectory(endless.resolve("ibdev"));
        copyEntry(good, root.resolve("uverbs3"), "node_type");
        Files.writeString(root.resolve("uverbs3").resolve("ibdev"), "rxe7\n");
        Files.writeString(root.resolve("uverbs4"), "no folder");
        assertThat(served.near.devices()).extracting(Device::name).containsExactly("rxe0");
        Files.delete(good.resolve("node_type"));
        Host anew = ServedDevice.client(served.directory);
        assertThat(anew.device("rxe0").nodeType()).isEqualTo(NodeType.UNKNOWN);
        anew.open("rxe0").close();
    }

    /** Copies the files of an entry except some. */
    private static void copyEntry(Path from, Path to, String... without) throws IOException {
        Files.createDirectory(to);
        for (String file : List.of("ibdev", "abi_version", "node_type", "node_guid", "driver_id")) {
            if (!List.of(without).contains(file)) {
                Files.copy(from.resolve(file), to.resolve(file));
            }
        }
    }

    /**
     * The version that was read when the device was found determines the encoding, even if the entry changes
     * afterwards.
     */
    @ParameterizedTest
    @CsvSource({"1,WRITE", "2,IOCTL", "3,IOCTL"})
    @Covers("UVERBS-26")
    void aDeviceKeepsTheVersionThatItWasMadeFor(int abiVersion, AttributeEncoding style) throws IOException {
        RunDirectory tapped = new RunDirectory(folder.resolve("tapped"));
        try (Wiretap tap = new Wiretap(served.device, served.server.entry(), tapped, abiVersion)) {
            Device near = ServedDevice.client(tapped).device("rxe0");
            Files.writeString(tapped.scan().getFirst().path().resolve("abi_version"), (abiVersion % 2 + 1) + "\n");
            near.open().close();
            assertThat(tap.heard).isNotEmpty().extracting(Frame::style).containsOnly(style);
        }
    }

    /** The client tries the entry's path first, then the device's name and node GUID. */
    @Test
    @Covers("UVERBS-29")
    void aServerThatBeganAnewUnderAnotherNameIsFoundAgain() throws IOException {
        Device near = served.near.device("rxe0");
        Path entry = served.server.entry();
        Files.move(entry, entry.resolveSibling("uverbs7"));
        try (Context context = near.open()) {
            assertThat(context.queryPort(1).gidTableLength()).isPositive();
        }
        Files.writeString(entry.resolveSibling("uverbs7").resolve("node_guid"), "0000:0000:0000:0001\n");
        assertRefused(Errno.ECONNREFUSED, "is gone", near::open);
        Files.move(entry.resolveSibling("uverbs7"), entry);
    }

    @Test
    void aDeviceThatNoDriverIsForIsNotServed() {
        Device near = served.near.device("rxe0");
        assertRefused(Errno.EOPNOTSUPP, "no driver", () -> UverbsServer.open(near, served.directory));
    }
}
