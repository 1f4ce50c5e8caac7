// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.tools;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdma4j.base.Gid;
import io.rdma4j.base.Mtu;
import io.rdma4j.testing.ledger.Covers;
import io.rdma4j.tools.FixedProvider.FixedDevice;
import io.rdma4j.tools.cli.Tool;
import io.rdma4j.verbs.Host;
import io.rdma4j.verbs.Rdma;
import io.rdma4j.verbs.device.AtomicCapability;
import io.rdma4j.verbs.device.DeviceAttributes;
import io.rdma4j.verbs.device.DeviceCapability;
import io.rdma4j.verbs.device.DeviceLimit;
import io.rdma4j.verbs.device.PortAttributes;
import java.io.IOException;
import java.io.InputStream;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Compares {@code ibv_devices} and {@code ibv_devinfo} with the output of the original programs. */
class IbvDeviceToolsTest {
    private static final FixedDevice FIRST = device("rxe0", true);
    private static final FixedDevice SECOND = device("a_device_with_a_long_name", true);
    private static final FixedDevice TAKEN = device("taken", false);

    private final StringWriter out = new StringWriter();
    private final StringWriter err = new StringWriter();

    private static FixedDevice device(String name, boolean opens) {
        DeviceAttributes.Builder attributes = DeviceAttributes.builder()
                .firmwareVersion("1.2.3")
                .nodeGuid(0x505400fffe770001L)
                .systemImageGuid(0x505400fffe770002L)
                .pageSizeCapability(0xfffff000L)
                .vendor(0xffffff, 7, 0xA)
                .capabilities(DeviceCapability.SRQ_RESIZE, DeviceCapability.BAD_PKEY_CNTR, DeviceCapability.UD_TSO)
                .atomics(AtomicCapability.HCA, AtomicCapability.NONE)
                .localCaAckDelay(15)
                .physicalPortCount(2);
        for (DeviceLimit limit : DeviceLimit.values()) {
            attributes.limit(limit, limit.ordinal() + 100);
        }
        return new FixedDevice(
                name,
                0x505400fffe770001L,
                attributes.build(),
                PortAttributes.ethernet(true, Mtu.MTU_4096, Mtu.MTU_1024, 16, 1, 1L << 31),
                List.of(
                        Gid.parse("fe80::5054:ff:fe77:1"),
                        Gid.parse("fe80::5054:ff:fe77:1"),
                        Gid.ZERO,
                        Gid.parse("192.168.2.30")),
                opens);
    }

    private int run(Host host, String... words) {
        Tool devices = new Tool("ibv_devices", "", _ -> new IbvDevicesCommand(() -> host));
        Tool devinfo = new Tool("ibv_devinfo", "", _ -> new IbvDevinfoCommand(() -> host));
        return new Main(List.of(devices, devinfo), new PrintWriter(out, true), new PrintWriter(err, true)).run(words);
    }

    private static String expected(String resource) throws IOException {
        try (InputStream in = IbvDeviceToolsTest.class.getResourceAsStream(resource)) {
            return new String(Objects.requireNonNull(in, resource).readAllBytes(), StandardCharsets.UTF_8);
        }
    }

    @Test
    @Covers({"UVERBS-2", "UVERBS-5", "UVERBS-6", "TOOL-21"})
    void devicesAreListedWithTheirGuids() {
        assertThat(run(FixedProvider.host(FIRST, SECOND), "ibv_devices")).isZero();
        assertThat(out.toString().lines())
                .containsExactly(
                        "    device          \t   node GUID",
                        "    ------          \t----------------",
                        "    rxe0            \t505400fffe770001",
                        "    a_device_with_a_long_name\t505400fffe770001");
    }

    @Test
    @Covers("UVERBS-2")
    void noDevicesIsAnEmptyList() {
        assertThat(run(FixedProvider.host(), "ibv_devices")).isZero();
        assertThat(out.toString().lines()).hasSize(2);
    }

    @Test
    void devicesAreListedAsJson() {
        assertThat(run(FixedProvider.host(FIRST), "ibv_devices", "--json")).isZero();
        assertThat(out.toString().strip()).isEqualTo("[{\"device\":\"rxe0\",\"node_guid\":\"5054:00ff:fe77:0001\"}]");
    }

    @Test
    void namesAloneAreListed() {
        assertThat(run(FixedProvider.host(FIRST, SECOND), "ibv_devinfo", "-l")).isZero();
        assertThat(out.toString()).isEqualTo("2 HCAs found:\n\trxe0\n\ta_device_with_a_long_name\n\n");
    }

    @Test
    void oneNameIsSingular() {
        assertThat(run(FixedProvider.host(FIRST), "ibv_devinfo", "--list")).isZero();
        assertThat(out.toString()).isEqualTo("1 HCA found:\n\trxe0\n\n");
    }

    @Test
    @Covers("UVERBS-4")
    void theShortReportIsThatOfTheOriginal() throws IOException {
        assertThat(run(FixedProvider.host(FIRST), "ibv_devinfo")).isZero();
        assertThat(out.toString()).isEqualTo(expected("ibv_devinfo.txt"));
    }

    @Test
    void theLongReportIsThatOfTheOriginal() throws IOException {
        assertThat(run(FixedProvider.host(FIRST), "ibv_devinfo", "-v", "-i", "2"))
                .isZero();
        assertThat(out.toString()).isEqualTo(expected("ibv_devinfo-v.txt"));
    }

    @Test
    void theLongReportAsJsonHasTheNamesOfTheText() throws IOException {
        assertThat(run(FixedProvider.host(FIRST), "ibv_devinfo", "-v", "-i2", "--json"))
                .isZero();
        assertThat(out.toString()).isEqualTo(expected("ibv_devinfo-v.json"));
    }

    @Test
    @Covers("UVERBS-5")
    void aDeviceIsChosenByName() {
        assertThat(run(FixedProvider.host(FIRST, SECOND), "ibv_devinfo", "-d", "a_device_with_a_long_name"))
                .isZero();
        assertThat(out.toString())
                .startsWith("hca_id:\ta_device_with_a_long_name\n")
                .doesNotContain("rxe0");
    }

    @Test
    void allDevicesAreReportedUnlessOneIsChosen() {
        assertThat(run(FixedProvider.host(FIRST, SECOND), "ibv_devinfo")).isZero();
        assertThat(out.toString().lines().filter(line -> line.startsWith("hca_id:")))
                .hasSize(2);
    }

    @Test
    void anUnknownDeviceIsReported() {
        assertThat(run(FixedProvider.host(FIRST), "ibv_devinfo", "-d", "mlx5_0"))
                .isEqualTo(255);
        assertThat(err.toString().lines()).containsExactly("IB device 'mlx5_0' wasn't found");
    }

    @Test
    void noDeviceAtAllIsReported() {
        assertThat(run(FixedProvider.host(), "ibv_devinfo")).isEqualTo(255);
        assertThat(err.toString().lines()).containsExactly("No IB devices found");
    }

    @Test
    void aPortThatIsNotThereIsReported() {
        assertThat(run(FixedProvider.host(FIRST), "ibv_devinfo", "-i", "3")).isEqualTo(4);
        assertThat(err.toString().lines()).containsExactly("Invalid port requested for device");
        assertThat(out.toString()).isEmpty();
    }

    @Test
    void aDeviceThatDoesNotOpenDoesNotHideTheOthers() {
        assertThat(run(FixedProvider.host(TAKEN, FIRST), "ibv_devinfo")).isEqualTo(1);
        assertThat(err.toString().lines())
                .containsExactly("Failed to open device", "ibv_devinfo: taken: EADDRINUSE: port 4791 is taken");
        assertThat(out.toString()).startsWith("hca_id:\trxe0\n");
    }

    @ParameterizedTest
    @ValueSource(strings = {"-x", "-i0", "-iport", "rxe0"})
    void wrongUsageIsRefused(String word) {
        assertThat(run(FixedProvider.host(FIRST), "ibv_devinfo", word)).isEqualTo(255);
        assertThat(err.toString()).contains("'./rdma4j help ibv_devinfo' shows the options");
    }

    @Test
    void theRealDevicesAreReported() {
        assertThat(run(Rdma.host(), "ibv_devinfo", "-v", "-d", "rxe_lo")).isZero();
        assertThat(out.toString())
                .startsWith("hca_id:\trxe_lo\n\ttransport:\t\t\tInfiniBand (0)\n")
                .contains("\t\t\tstate:\t\t\tPORT_ACTIVE (4)\n", "\t\t\tlink_layer:\t\tEthernet\n")
                .contains("\tgeneral_odp_caps:\n\t\t\t\t\tODP_SUPPORT\n\trc_odp_caps:\n\t\t\t\t\tSUPPORT_SEND\n")
                .doesNotContain("NO SUPPORT", "ODP_SUPPORT_IMPLICIT")
                .containsPattern("\t\t\tGID\\[  0\\]:\t\t::ffff:127\\.0\\.0\\.\\d+, RoCE v2\n");
    }
}
