// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.wire;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdma4j.testing.ledger.Covers;
import org.junit.jupiter.api.Test;

class SyndromeTest {
    private static final double[] RNR_MILLISECONDS = {
        655.36, 0.01, 0.02, 0.03, 0.04, 0.06, 0.08, 0.12, 0.16, 0.24, 0.32, 0.48, 0.64, 0.96, 1.28, 1.92, 2.56, 3.84,
        5.12, 7.68, 10.24, 15.36, 20.48, 30.72, 40.96, 61.44, 81.92, 122.88, 163.84, 245.76, 327.68, 491.52,
    };

    @Test
    @Covers("RXE-128")
    void kindsAreTheUpperThreeBits() {
        assertThat(Syndrome.kind(0x00)).isEqualTo(Syndrome.Kind.ACK);
        assertThat(Syndrome.kind(0x1F)).isEqualTo(Syndrome.Kind.ACK);
        assertThat(Syndrome.kind(0x20)).isEqualTo(Syndrome.Kind.RNR_NAK);
        assertThat(Syndrome.kind(0x3F)).isEqualTo(Syndrome.Kind.RNR_NAK);
        assertThat(Syndrome.kind(0x40)).isEqualTo(Syndrome.Kind.RESERVED);
        assertThat(Syndrome.kind(0x60)).isEqualTo(Syndrome.Kind.NAK);
        assertThat(Syndrome.kind(0x80)).isEqualTo(Syndrome.Kind.RESERVED);
        assertThat(Syndrome.kind(0xE0)).isEqualTo(Syndrome.Kind.RESERVED);
    }

    @Test
    @Covers("RXE-128")
    void syndromesAreMadeOfKindAndValue() {
        assertThat(Syndrome.ack(CreditCode.UNLIMITED)).isEqualTo(0x1F);
        assertThat(Syndrome.rnrNak(12)).isEqualTo(0x2C);
        assertThat(Syndrome.value(0x2C)).isEqualTo(12);
        assertThat(Syndrome.nak(NakCode.PSN_SEQUENCE_ERROR)).isEqualTo(0x60);
        assertThat(Syndrome.nak(NakCode.INVALID_REQUEST)).isEqualTo(0x61);
        assertThat(Syndrome.nak(NakCode.REMOTE_ACCESS_ERROR)).isEqualTo(0x62);
        assertThat(Syndrome.nak(NakCode.REMOTE_OPERATIONAL_ERROR)).isEqualTo(0x63);
        assertThat(Syndrome.nak(NakCode.INVALID_RD_REQUEST)).isEqualTo(0x64);
    }

    @Test
    void theReasonIsThereForNaksOnly() {
        for (NakCode code : NakCode.values()) {
            assertThat(Syndrome.nakCode(Syndrome.nak(code))).isEqualTo(code);
        }
        assertThat(Syndrome.nakCode(0x65)).isNull();
        assertThat(Syndrome.nakCode(0x21)).isNull();
    }

    @Test
    void everySyndromeHasAText() {
        for (int syndrome = 0; syndrome < 256; syndrome++) {
            assertThat(Syndrome.toString(syndrome)).isNotBlank();
        }
        assertThat(Syndrome.toString(0x1F)).isEqualTo("ACK");
        assertThat(Syndrome.toString(0x04)).isEqualTo("ACK credits 4");
        assertThat(Syndrome.toString(0x27)).isEqualTo("RNR NAK 0.12 ms");
        assertThat(Syndrome.toString(0x21)).isEqualTo("RNR NAK 0.01 ms");
        assertThat(Syndrome.toString(0x20)).isEqualTo("RNR NAK 655.36 ms");
        assertThat(Syndrome.toString(0x60)).isEqualTo("NAK PSN sequence error");
        assertThat(Syndrome.toString(0x7F)).isEqualTo("NAK reserved code 31");
        assertThat(Syndrome.toString(0x40)).isEqualTo("reserved syndrome 64");
    }

    @Test
    void rnrTimerCodesAreTheSpecificationsMilliseconds() {
        for (int code = 0; code < RnrTimer.CODES; code++) {
            assertThat(RnrTimer.ns(code)).isEqualTo(Math.round(RNR_MILLISECONDS[code] * 1e6));
        }
        assertThat(RNR_MILLISECONDS).hasSize(RnrTimer.CODES);
    }

    @Test
    void creditCodesRunFromZeroTo32768() {
        int[] expected = {0, 1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64, 96, 128, 192, 256, 384, 512, 768};
        for (int code = 0; code < expected.length; code++) {
            assertThat(CreditCode.credits(code)).isEqualTo(expected[code]);
        }
        for (int code = 20; code <= 30; code++) {
            assertThat(CreditCode.credits(code)).isEqualTo(2 * CreditCode.credits(code - 2));
        }
        assertThat(CreditCode.credits(30)).isEqualTo(32768);
    }

    @Test
    void aCreditCodeNeverPromisesMoreThanThereIs() {
        assertThat(CreditCode.of(0)).isZero();
        assertThat(CreditCode.of(5)).isEqualTo(4);
        assertThat(CreditCode.of(6)).isEqualTo(5);
        assertThat(CreditCode.of(Integer.MAX_VALUE)).isEqualTo(30);
    }
}
