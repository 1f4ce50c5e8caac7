// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.tools;

import io.rdma4j.base.Guid;
import io.rdma4j.base.RdmaException;
import io.rdma4j.verbs.Context;
import io.rdma4j.verbs.ProtectionDomain;
import io.rdma4j.verbs.device.DeviceAttributes;
import io.rdma4j.verbs.device.DeviceCapability;
import io.rdma4j.verbs.device.DeviceLimit;
import io.rdma4j.verbs.device.TransportType;
import io.rdma4j.verbs.values.AccessFlag;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** Prints what {@code ibv_devinfo} prints about one open device, with the labels, order and widths of rdma-core. */
final class Devinfo {
    /** Capabilities without a name in the original program. */
    private static final Set<DeviceCapability> NAMELESS = EnumSet.of(
            DeviceCapability.LOCAL_DMA_LKEY,
            DeviceCapability.RESERVED,
            DeviceCapability.UD_TSO,
            DeviceCapability.BLOCK_MULTICAST_LOOPBACK);

    private static final Map<String, List<String>> ODP_OPERATIONS = odpOperations();

    private static final String DETAIL = "\t".repeat(5);

    /** Completion timestamps are nanoseconds in 64 bits with every provider, as the API defines. */
    private static final long TIMESTAMP_MASK = -1;

    private static final int TIMESTAMP_CLOCK_KHZ = 1_000_000;

    private final Context context;
    private final DeviceAttributes attributes;
    private final DevinfoSection section = DevinfoSection.ofDevice();
    private final List<DevinfoPort> ports = new ArrayList<>();

    /**
     * Queries the device.
     *
     * @param onlyPort from 1; 0 for all
     */
    Devinfo(Context context, int onlyPort, boolean verbose) {
        this.context = context;
        this.attributes = context.queryDevice();
        identity();
        if (verbose) {
            limits();
            absentFeatures();
        }
        for (int port = 1; port <= attributes.physicalPortCount(); port++) {
            if (onlyPort == 0 || port == onlyPort) {
                ports.add(new DevinfoPort(context, port, verbose));
            }
        }
    }

    private static Map<String, List<String>> odpOperations() {
        Map<String, List<String>> operations = new LinkedHashMap<>();
        operations.put("rc", List.of("SEND", "RECV", "WRITE", "READ", "ATOMIC", "SRQ"));
        operations.put("uc", List.of("SEND", "RECV", "WRITE"));
        operations.put("ud", List.of("SEND", "RECV", "SRQ"));
        operations.put("xrc", List.of("SEND", "RECV", "WRITE", "READ", "ATOMIC", "SRQ"));
        return operations;
    }

    List<String> lines() {
        List<String> lines = new ArrayList<>();
        lines.add("hca_id:\t" + context.device().name());
        lines.addAll(section.lines());
        ports.forEach(port -> lines.addAll(port.lines()));
        return lines;
    }

    Map<String, Object> json() {
        section.member("ports", ports.stream().map(DevinfoPort::json).toList());
        return section.members();
    }

    private void identity() {
        section.member("hca_id", context.device().name());
        TransportType transport = context.device().transport();
        section.coded("transport", transport.text(), transport.code());
        if (!attributes.firmwareVersion().isEmpty()) {
            section.text("fw_ver", attributes.firmwareVersion());
        }
        section.text("node_guid", Guid.toString(attributes.nodeGuid()));
        section.text("sys_image_guid", Guid.toString(attributes.systemImageGuid()));
        section.formatted("vendor_id", "0x%04x", attributes.vendorId());
        section.number("vendor_part_id", attributes.vendorPartId());
        section.formatted("hw_ver", "0x%X", attributes.hardwareVersion());
        section.number("phys_port_cnt", attributes.physicalPortCount());
    }

    private void limits() {
        section.formatted("max_mr_size", "0x%x", attributes.limit(DeviceLimit.MAX_MR_SIZE));
        section.formatted("page_size_cap", "0x%x", attributes.pageSizeCapability());
        limits(DeviceLimit.MAX_QP, DeviceLimit.MAX_QP_WR);
        capabilities();
        limits(
                DeviceLimit.MAX_SGE,
                DeviceLimit.MAX_SGE_RD,
                DeviceLimit.MAX_CQ,
                DeviceLimit.MAX_CQE,
                DeviceLimit.MAX_MR,
                DeviceLimit.MAX_PD,
                DeviceLimit.MAX_QP_RD_ATOM,
                DeviceLimit.MAX_EE_RD_ATOM,
                DeviceLimit.MAX_RES_RD_ATOM,
                DeviceLimit.MAX_QP_INIT_RD_ATOM,
                DeviceLimit.MAX_EE_INIT_RD_ATOM);
        section.coded(
                "atomic_cap",
                attributes.atomicCapability().text(),
                attributes.atomicCapability().code());
        limits(
                DeviceLimit.MAX_EE,
                DeviceLimit.MAX_RDD,
                DeviceLimit.MAX_MW,
                DeviceLimit.MAX_RAW_IPV6_QP,
                DeviceLimit.MAX_RAW_ETHY_QP,
                DeviceLimit.MAX_MCAST_GRP,
                DeviceLimit.MAX_MCAST_QP_ATTACH,
                DeviceLimit.MAX_TOTAL_MCAST_QP_ATTACH,
                DeviceLimit.MAX_AH,
                DeviceLimit.MAX_FMR);
        if (attributes.limit(DeviceLimit.MAX_FMR) != 0) {
            limits(DeviceLimit.MAX_MAP_PER_FMR);
        }
        limits(DeviceLimit.MAX_SRQ);
        if (attributes.limit(DeviceLimit.MAX_SRQ) != 0) {
            limits(DeviceLimit.MAX_SRQ_WR, DeviceLimit.MAX_SRQ_SGE);
        }
        limits(DeviceLimit.MAX_PKEYS);
        section.number("local_ca_ack_delay", attributes.localCaAckDelay());
    }

    private void limits(DeviceLimit... limits) {
        for (DeviceLimit limit : limits) {
            section.number(limit.label(), attributes.limit(limit));
        }
    }

    private void capabilities() {
        Set<DeviceCapability> capabilities = attributes.capabilities();
        section.formatted("device_cap_flags", "0x%08x", DeviceCapability.mask(capabilities));
        Set<DeviceCapability> nameless = EnumSet.noneOf(DeviceCapability.class);
        List<String> names = new ArrayList<>();
        for (DeviceCapability capability : DeviceCapability.values()) {
            if (NAMELESS.contains(capability)) {
                if (attributes.has(capability)) {
                    nameless.add(capability);
                }
            } else if (attributes.has(capability)) {
                section.line(DETAIL + capability);
                names.add(capability.name());
            }
        }
        if (!nameless.isEmpty()) {
            section.line(String.format(DETAIL + "Unknown flags: 0x%X", DeviceCapability.mask(nameless)));
            nameless.forEach(capability -> names.add(capability.name()));
        }
        section.member("capabilities", names);
    }

    private void largeSends() {
        section.line("\ttso_caps:");
        section.line("\t\tmax_tso:\t\t\t" + attributes.limit(DeviceLimit.MAX_TSO));
        if (attributes.limit(DeviceLimit.MAX_TSO) != 0) {
            section.line("\t\tsupported_qp:");
            section.line(DETAIL + "SUPPORT_UD");
        }
    }

    /**
     * Prints on-demand paging. The verbs here have no {@code odp_caps}; a program detects support by registering an
     * on-demand region. Every operation of every service may use such a region. No device here has the implicit form,
     * which covers the whole address space.
     */
    private void onDemandPaging() {
        boolean supported = hasOnDemandRegions();
        section.line("\tgeneral_odp_caps:");
        if (supported) {
            section.line(DETAIL + "ODP_SUPPORT");
        }
        ODP_OPERATIONS.forEach((service, operations) -> {
            section.line("\t" + service + "_odp_caps:");
            if (supported) {
                operations.forEach(operation -> section.line(DETAIL + "SUPPORT_" + operation));
            } else {
                section.line(DETAIL + "NO SUPPORT");
            }
        });
    }

    private boolean hasOnDemandRegions() {
        try (Arena arena = Arena.ofShared();
                ProtectionDomain pd = context.allocatePd()) {
            MemorySegment memory = context.allocateBuffer(Long.BYTES, Long.BYTES, arena);
            pd.registerMemory(memory, Set.of(AccessFlag.LOCAL_WRITE, AccessFlag.ON_DEMAND))
                    .close();
            return true;
        } catch (RdmaException _) {
            return false;
        }
    }

    /**
     * Prints completion timestamps, on-demand paging and large sends, and features that the verbs here do not have. The
     * lines of those features are the same for each device.
     */
    private void absentFeatures() {
        onDemandPaging();
        section.line(String.format("\tcompletion timestamp_mask:\t\t\t0x%016x", TIMESTAMP_MASK));
        section.formatted("hca_core_clock", "%dkHZ", TIMESTAMP_CLOCK_KHZ);
        section.formatted("device_cap_flags_ex", "0x%X", DeviceCapability.mask(attributes.capabilities()));
        largeSends();
        """
        	rss_caps:
        		max_rwq_indirection_tables:			0
        		max_rwq_indirection_table_size:			0
        		rx_hash_function:				0x0
        		rx_hash_fields_mask:				0x0
        	max_wq_type_rq:			0
        	packet_pacing_caps:
        		qp_rate_limit_min:	0kbps
        		qp_rate_limit_max:	0kbps
        	tag matching not supported\
        """.lines().forEach(section::line);
        section.number("num_comp_vectors", context.completionVectors());
    }
}
