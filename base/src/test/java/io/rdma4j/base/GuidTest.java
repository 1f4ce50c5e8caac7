// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.base;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdma4j.testing.ledger.Covers;
import org.junit.jupiter.api.Test;

class GuidTest {
    @Test
    void aMacGetsItsLocalBitFlippedAndTwoBytesInTheMiddle() {
        assertThat(Guid.ofMac(0x5254_0077_0001L)).isEqualTo(0x5054_00FF_FE77_0001L);
        assertThat(Guid.ofMac(0xFFFF_FFFF_FFFFL)).isEqualTo(0xFDFF_FFFF_FEFF_FFFFL);
    }

    @Test
    void bitsBeyondTheMacAreIgnored() {
        assertThat(Guid.ofMac(0xABCD_5254_0077_0001L)).isEqualTo(Guid.ofMac(0x5254_0077_0001L));
    }

    @Test
    @Covers("GEN-14")
    void isPrintedInFourGroups() {
        assertThat(Guid.toString(0x5054_00FF_FE77_0001L)).isEqualTo("5054:00ff:fe77:0001");
        assertThat(Guid.toString(-1)).isEqualTo("ffff:ffff:ffff:ffff");
    }
}
