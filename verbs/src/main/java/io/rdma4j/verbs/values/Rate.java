// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.verbs.values;

/**
 * Static rate of a path: the maximum injection rate of packets. Corresponds to {@code enum ibv_rate}.
 *
 * <p>Current libibverbs returns -1 for the multiples of the eight rates from 14 to 300 Gbit/s. Newer kernels define
 * them, and so does this class.
 */
public enum Rate {
    /** The rate of the port; {@code IBV_RATE_MAX} in user space. */
    PORT_CURRENT(0, -1, -1),
    /** {@code IBV_RATE_2_5_GBPS}: one lane of SDR. */
    GBPS_2_5(2, 1, 2500),
    /** {@code IBV_RATE_5_GBPS}: one lane of DDR. */
    GBPS_5(5, 2, 5000),
    /** {@code IBV_RATE_10_GBPS}: four lanes of SDR, or one of QDR. */
    GBPS_10(3, 4, 10000),
    /** {@code IBV_RATE_20_GBPS}: four lanes of DDR. */
    GBPS_20(6, 8, 20000),
    /** {@code IBV_RATE_30_GBPS}: twelve lanes of SDR. */
    GBPS_30(4, 12, 30000),
    /** {@code IBV_RATE_40_GBPS}: four lanes of QDR. */
    GBPS_40(7, 16, 40000),
    /** {@code IBV_RATE_60_GBPS}: twelve lanes of DDR. */
    GBPS_60(8, 24, 60000),
    /** {@code IBV_RATE_80_GBPS}: eight lanes of QDR. */
    GBPS_80(9, 32, 80000),
    /** {@code IBV_RATE_120_GBPS}: twelve lanes of QDR. */
    GBPS_120(10, 48, 120000),
    /** {@code IBV_RATE_14_GBPS}: one lane of FDR. */
    GBPS_14(11, 6, 14062),
    /** {@code IBV_RATE_56_GBPS}: four lanes of FDR. */
    GBPS_56(12, 22, 56250),
    /** {@code IBV_RATE_112_GBPS}: eight lanes of FDR. */
    GBPS_112(13, 45, 112500),
    /** {@code IBV_RATE_168_GBPS}: twelve lanes of FDR. */
    GBPS_168(14, 67, 168750),
    /** {@code IBV_RATE_25_GBPS}: one lane of EDR. */
    GBPS_25(15, 10, 25781),
    /** {@code IBV_RATE_100_GBPS}: four lanes of EDR. */
    GBPS_100(16, 40, 103125),
    /** {@code IBV_RATE_200_GBPS}: eight lanes of EDR. */
    GBPS_200(17, 80, 206250),
    /** {@code IBV_RATE_300_GBPS}: twelve lanes of EDR. */
    GBPS_300(18, 120, 309375),
    /** {@code IBV_RATE_28_GBPS}: two lanes of FDR. */
    GBPS_28(19, 11, 28125),
    /** {@code IBV_RATE_50_GBPS}: one lane of HDR. */
    GBPS_50(20, 20, 53125),
    /** {@code IBV_RATE_400_GBPS}: eight lanes of HDR. */
    GBPS_400(21, 160, 425000),
    /** {@code IBV_RATE_600_GBPS}: twelve lanes of HDR. */
    GBPS_600(22, 240, 637500);

    private final int code;
    private final int multiple;
    private final int mbps;

    Rate(int code, int multiple, int mbps) {
        this.code = code;
        this.multiple = multiple;
        this.mbps = mbps;
    }

    /** {@return the number in C and in path records, 6 bits} */
    public int code() {
        return code;
    }

    /** {@return multiple of 2.5 Gbit/s, -1 for {@link #PORT_CURRENT}} Corresponds to {@code ibv_rate_to_mult}. */
    public int multiple() {
        return multiple;
    }

    /** {@return Mbit/s, -1 for {@link #PORT_CURRENT}} Corresponds to {@code ibv_rate_to_mbps}. */
    public int mbps() {
        return mbps;
    }

    /**
     * {@return the rate of a multiple of 2.5 Gbit/s, else {@link #PORT_CURRENT}} Corresponds to
     * {@code mult_to_ibv_rate}.
     *
     * @param multiple of 2.5 Gbit/s
     */
    public static Rate ofMultiple(int multiple) {
        for (Rate rate : values()) {
            if (rate.multiple == multiple) {
                return rate;
            }
        }
        return PORT_CURRENT;
    }

    /**
     * {@return the rate of exactly this number of Mbit/s, else {@link #PORT_CURRENT}} Corresponds to
     * {@code mbps_to_ibv_rate}.
     *
     * @param mbps a value of {@link #mbps}
     */
    public static Rate ofMbps(int mbps) {
        for (Rate rate : values()) {
            if (rate.mbps == mbps) {
                return rate;
            }
        }
        return PORT_CURRENT;
    }
}
