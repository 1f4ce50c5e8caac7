// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.verbs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.rdma4j.base.RdmaException;
import io.rdma4j.testing.ledger.Covers;
import io.rdma4j.verbs.device.AtomicCapability;
import io.rdma4j.verbs.device.DeviceCapability;
import io.rdma4j.verbs.device.LinkSpeed;
import io.rdma4j.verbs.device.LinkWidth;
import io.rdma4j.verbs.device.NodeType;
import io.rdma4j.verbs.device.PortCapability;
import io.rdma4j.verbs.device.PortState;
import io.rdma4j.verbs.device.TransportType;
import io.rdma4j.verbs.values.AccessFlag;
import io.rdma4j.verbs.values.EventType;
import io.rdma4j.verbs.values.QpAttribute;
import io.rdma4j.verbs.values.QpType;
import io.rdma4j.verbs.values.Rate;
import io.rdma4j.verbs.wr.WrOpcode;
import java.util.EnumSet;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class EnumsTest {
    @ParameterizedTest
    @CsvSource({
        "CA, 1, InfiniBand channel adapter, IB",
        "SWITCH, 2, InfiniBand switch, IB",
        "ROUTER, 3, InfiniBand router, IB",
        "RNIC, 4, iWARP NIC, IWARP",
        "USNIC, 5, usNIC, USNIC",
        "USNIC_UDP, 6, usNIC UDP, USNIC_UDP",
        "UNSPECIFIED, 7, unspecified, UNSPECIFIED",
        "UNKNOWN, -1, unknown, UNKNOWN"
    })
    @Covers({"DEV-60", "DEV-61", "DEV-62", "ENUM-7", "UVERBS-21"})
    void nodeTypesHaveTheNumbersTextsAndTransportsOfC(NodeType type, int code, String text, TransportType transport) {
        assertThat(type.code()).isEqualTo(code);
        assertThat(type.text()).isEqualTo(text);
        assertThat(type.transport()).isEqualTo(transport);
    }

    @ParameterizedTest
    @CsvSource({
        "NOP, 0, no state change (NOP), PORT_NOP",
        "DOWN, 1, down, PORT_DOWN",
        "INIT, 2, init, PORT_INIT",
        "ARMED, 3, armed, PORT_ARMED",
        "ACTIVE, 4, active, PORT_ACTIVE",
        "ACTIVE_DEFER, 5, active defer, PORT_ACTIVE_DEFER"
    })
    @Covers({"ENUM-8", "PORT-2"})
    void portStatesHaveTheNumbersAndTextsOfC(PortState state, int code, String text, String label) {
        assertThat(state.code()).isEqualTo(code);
        assertThat(state.text()).isEqualTo(text);
        assertThat(state.label()).isEqualTo(label);
    }

    @ParameterizedTest
    @CsvSource({
        "GBPS_2_5, 2, 1, 2500", "GBPS_5, 5, 2, 5000", "GBPS_10, 3, 4, 10000", "GBPS_20, 6, 8, 20000",
        "GBPS_30, 4, 12, 30000", "GBPS_40, 7, 16, 40000", "GBPS_60, 8, 24, 60000", "GBPS_80, 9, 32, 80000",
        "GBPS_120, 10, 48, 120000", "GBPS_14, 11, 6, 14062", "GBPS_56, 12, 22, 56250", "GBPS_112, 13, 45, 112500",
        "GBPS_168, 14, 67, 168750", "GBPS_25, 15, 10, 25781", "GBPS_100, 16, 40, 103125", "GBPS_200, 17, 80, 206250",
        "GBPS_300, 18, 120, 309375", "GBPS_28, 19, 11, 28125", "GBPS_50, 20, 20, 53125", "GBPS_400, 21, 160, 425000",
        "GBPS_600, 22, 240, 637500"
    })
    @Covers({"ENUM-3", "ENUM-4", "ENUM-5", "ENUM-6"})
    void ratesConvertBothWays(Rate rate, int code, int multiple, int mbps) {
        assertThat(rate.code()).isEqualTo(code);
        assertThat(rate.multiple()).isEqualTo(multiple);
        assertThat(rate.mbps()).isEqualTo(mbps);
        assertThat(Rate.ofMultiple(multiple)).isEqualTo(rate);
        assertThat(Rate.ofMbps(mbps)).isEqualTo(rate);
    }

    @Test
    void anUnknownMultipleIsTheRateOfThePort() {
        assertThat(Rate.ofMultiple(3)).isEqualTo(Rate.PORT_CURRENT);
        assertThat(Rate.ofMbps(1)).isEqualTo(Rate.PORT_CURRENT);
        assertThat(Rate.PORT_CURRENT.multiple()).isEqualTo(-1);
    }

    @ParameterizedTest
    @CsvSource({
        "RDMA_WRITE, 0, rdma-write",
        "RDMA_WRITE_WITH_IMM, 1, rdma-write-with-imm",
        "SEND, 2, send",
        "SEND_WITH_IMM, 3, send-with-imm",
        "RDMA_READ, 4, rdma-read",
        "ATOMIC_CMP_AND_SWP, 5, atomic-cmp-and-swp",
        "ATOMIC_FETCH_AND_ADD, 6, atomic-fetch-and-add",
        "LOCAL_INV, 7, local-inv",
        "BIND_MW, 8, bind-mw",
        "SEND_WITH_INV, 9, send-with-inv",
        "TSO, 10, tso",
        "FLUSH, 14, flush",
        "ATOMIC_WRITE, 15, atomic-write"
    })
    @Covers("ENUM-9")
    void operationsHaveTextsForTraces(WrOpcode opcode, int code, String text) {
        assertThat(WrOpcode.ofCode(code)).isEqualTo(opcode);
        assertThat(opcode.text()).isEqualTo(text);
    }

    @ParameterizedTest
    @CsvSource({"X1, 1, 1", "X4, 2, 4", "X8, 4, 8", "X12, 8, 12", "X2, 16, 2"})
    @Covers({"ENUM-2", "PORT-18"})
    void widthsCountTheirLanes(LinkWidth width, int code, int lanes) {
        assertThat(width.code()).isEqualTo(code);
        assertThat(width.lanes()).isEqualTo(lanes);
    }

    @ParameterizedTest
    @CsvSource({
        "SDR, 1, 2.5 Gbps",
        "DDR, 2, 5.0 Gbps",
        "QDR, 4, 10.0 Gbps",
        "FDR10, 8, 10.0 Gbps",
        "FDR, 16, 14.0 Gbps",
        "EDR, 32, 25.0 Gbps",
        "HDR, 64, 50.0 Gbps"
    })
    @Covers("PORT-19")
    void speedsHaveTheCodesAndTextsOfC(LinkSpeed speed, int code, String text) {
        assertThat(speed.code()).isEqualTo(code);
        assertThat(speed.text()).isEqualTo(text);
    }

    @ParameterizedTest
    @CsvSource({
        "CQ_ERR, 0, CQ error, CQ",
        "QP_FATAL, 1, local work queue catastrophic error, QP",
        "QP_REQ_ERR, 2, invalid request local work queue error, QP",
        "QP_ACCESS_ERR, 3, local access violation work queue error, QP",
        "COMM_EST, 4, communication established, QP",
        "SQ_DRAINED, 5, send queue drained, QP",
        "PATH_MIG, 6, path migrated, QP",
        "PATH_MIG_ERR, 7, path migration request error, QP",
        "DEVICE_FATAL, 8, local catastrophic error, DEVICE",
        "PORT_ACTIVE, 9, port active, PORT",
        "PORT_ERR, 10, port error, PORT",
        "LID_CHANGE, 11, LID change, PORT",
        "PKEY_CHANGE, 12, P_Key change, PORT",
        "SM_CHANGE, 13, SM change, PORT",
        "SRQ_ERR, 14, SRQ catastrophic error, SRQ",
        "SRQ_LIMIT_REACHED, 15, SRQ limit reached, SRQ",
        "QP_LAST_WQE_REACHED, 16, last WQE reached, QP",
        "CLIENT_REREGISTER, 17, client reregistration, PORT",
        "GID_CHANGE, 18, GID table change, PORT",
        "WQ_FATAL, 19, WQ fatal, WQ",
        "DEVICE_SPEED_CHANGE, 20, device speed change, PORT"
    })
    @Covers("EVT-26")
    void eventTypesHaveTheNumbersAndTextsOfC(EventType type, int code, String text, EventType.Element element) {
        assertThat(type.code()).isEqualTo(code);
        assertThat(EventType.ofCode(code)).isEqualTo(type);
        assertThat(type.text()).isEqualTo(text);
        assertThat(type.element()).isEqualTo(element);
    }

    @Test
    void anUnknownEventNumberIsRefused() {
        assertThatExceptionOfType(RdmaException.class)
                .isThrownBy(() -> EventType.ofCode(21))
                .withMessageContaining("21");
    }

    @ParameterizedTest
    @CsvSource({
        "SMI, 0",
        "GSI, 1",
        "RC, 2",
        "UC, 3",
        "UD, 4",
        "RAW_IPV6, 5",
        "RAW_ETHERTYPE, 6",
        "RAW_PACKET, 8",
        "XRC_INI, 9",
        "XRC_TGT, 10",
        "DRIVER, 255"
    })
    void queuePairTypesHaveTheNumbersOfC(QpType type, int code) {
        assertThat(type.code()).isEqualTo(code);
    }

    @Test
    void accessMasksConvertBothWays() {
        Set<AccessFlag> flags =
                EnumSet.of(AccessFlag.LOCAL_WRITE, AccessFlag.REMOTE_ATOMIC, AccessFlag.FLUSH_PERSISTENT);

        assertThat(AccessFlag.mask(flags)).isEqualTo(1 | 8 | 512);
        assertThat(AccessFlag.ofMask(1 | 8 | 512 | 1 << 19)).isEqualTo(flags);
    }

    @Test
    void attributeMasksHaveTheBitsOfC() {
        assertThat(QpAttribute.mask(EnumSet.range(QpAttribute.STATE, QpAttribute.DEST_QPN)))
                .isEqualTo((1 << 21) - 1);
        assertThat(QpAttribute.RATE_LIMIT.bit()).isEqualTo(1 << 25);
    }

    @ParameterizedTest
    @CsvSource({
        "RESIZE_MAX_WR, 0",
        "RC_RNR_NAK_GEN, 12",
        "MEM_WINDOW, 17",
        "XRC, 20",
        "MEM_MGT_EXTENSIONS, 21",
        "MEM_WINDOW_TYPE_2A, 23",
        "MEM_WINDOW_TYPE_2B, 24",
        "MANAGED_FLOW_STEERING, 29"
    })
    void deviceCapabilitiesHaveTheBitsOfC(DeviceCapability capability, int shift) {
        assertThat(capability.bit()).isEqualTo(1L << shift);
        assertThat(DeviceCapability.ofMask(1L << shift)).containsExactly(capability);
    }

    @ParameterizedTest
    @CsvSource({
        "SM, 1",
        "SM_DISABLED, 10",
        "EXTENDED_SPEEDS_SUP, 14",
        "CM_SUP, 16",
        "CLIENT_REG_SUP, 25",
        "IP_BASED_GIDS, 26"
    })
    void portCapabilitiesHaveTheBitsOfC(PortCapability capability, int shift) {
        assertThat(capability.bit()).isEqualTo(1 << shift);
        assertThat(PortCapability.ofMask(1 << shift)).containsExactly(capability);
    }

    @Test
    @Covers("DEV-21")
    void atomicCapabilitiesHaveTheNumbersOfC() {
        assertThat(AtomicCapability.values()).extracting(AtomicCapability::code).containsExactly(0, 1, 2);
    }
}
