// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.net.feature;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdma4j.net.LogCapture;
import io.rdma4j.testing.ledger.Covers;
import java.util.logging.Level;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class FeatureRulesTest {
    private final LogCapture log = new LogCapture(FeatureRules.CATEGORY);

    @AfterEach
    void close() {
        log.close();
    }

    @Test
    @Covers({"NDEV-80", "NDEV-81", "NDEV-82", "NDEV-88"})
    void oneChecksumOfAllExcludesThoseOfEachProtocol() {
        assertThat(fixed(NetDeviceFeature.HW_CSUM, NetDeviceFeature.IP_CSUM)).containsExactly(NetDeviceFeature.HW_CSUM);
        assertThat(fixed(NetDeviceFeature.HW_CSUM, NetDeviceFeature.IPV6_CSUM))
                .containsExactly(NetDeviceFeature.HW_CSUM);
        assertThat(log.lines())
                .containsExactly("eth0: mixed HW and IP checksum settings", "eth0: mixed HW and IP checksum settings");
        assertThat(fixed(NetDeviceFeature.IP_CSUM, NetDeviceFeature.IPV6_CSUM)).hasSize(2);
        assertThat(log.lines()).hasSize(2);
    }

    @Test
    @Covers({"NDEV-80", "NDEV-83", "NDEV-84", "NDEV-90", "NDEV-96"})
    void segmentationNeedsScatterGatherAndAChecksum() {
        log.level(Level.ALL);
        assertThat(fixed(NetDeviceFeature.TSO, NetDeviceFeature.TSO6, NetDeviceFeature.HW_CSUM))
                .containsExactly(NetDeviceFeature.HW_CSUM);
        assertThat(log.lines()).containsExactly("eth0: dropping TSO features for lack of SG");
        assertThat(fixed(NetDeviceFeature.TSO, NetDeviceFeature.SG, NetDeviceFeature.IPV6_CSUM))
                .containsExactly(NetDeviceFeature.SG, NetDeviceFeature.IPV6_CSUM);
        assertThat(log.lines()).last().isEqualTo("eth0: dropping TSO features for lack of CSUM");
        assertThat(fixed(NetDeviceFeature.TSO, NetDeviceFeature.SG, NetDeviceFeature.IP_CSUM))
                .hasSize(3);
        assertThat(fixed(NetDeviceFeature.TSO6, NetDeviceFeature.SG, NetDeviceFeature.IP_CSUM))
                .containsExactly(NetDeviceFeature.SG, NetDeviceFeature.IP_CSUM);
        assertThat(fixed(NetDeviceFeature.GSO_UDP_L4)).isEmpty();
        assertThat(fixed(NetDeviceFeature.GSO)).isEmpty();
        assertThat(log.lines()).last().isEqualTo("eth0: dropping GSO for lack of SG");
        assertThat(fixed(NetDeviceFeature.GSO, NetDeviceFeature.SG)).hasSize(2);
    }

    @Test
    @Covers("NDEV-85")
    void warningsMayBeSwitchedOffToo() {
        log.level(Level.OFF);
        assertThat(fixed(NetDeviceFeature.HW_CSUM, NetDeviceFeature.IP_CSUM)).hasSize(1);
        assertThat(log.lines()).isEmpty();
    }

    private static FeatureSet fixed(NetDeviceFeature... features) {
        return FeatureRules.fix("eth0", FeatureSet.of(features));
    }
}
