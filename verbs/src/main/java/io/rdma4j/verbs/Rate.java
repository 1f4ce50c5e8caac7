package io.rdma4j.verbs;

/**
 * Static rate of a path: how fast packets are injected at most. Answers to {@code enum ibv_rate}.
 *
 * <p>libibverbs of today answers -1 for the multiples of the eight rates from 14 to 300 Gbit/s; newer kernels know them,
 * and so do we.
 */
public enum Rate {
    /** As fast as the port; {@code IBV_RATE_MAX} in user space. */
    PORT_CURRENT(0, -1, -1),
    GBPS_2_5(2, 1, 2500),
    GBPS_5(5, 2, 5000),
    GBPS_10(3, 4, 10000),
    GBPS_20(6, 8, 20000),
    GBPS_30(4, 12, 30000),
    GBPS_40(7, 16, 40000),
    GBPS_60(8, 24, 60000),
    GBPS_80(9, 32, 80000),
    GBPS_120(10, 48, 120000),
    GBPS_14(11, 6, 14062),
    GBPS_56(12, 22, 56250),
    GBPS_112(13, 45, 112500),
    GBPS_168(14, 67, 168750),
    GBPS_25(15, 10, 25781),
    GBPS_100(16, 40, 103125),
    GBPS_200(17, 80, 206250),
    GBPS_300(18, 120, 309375),
    GBPS_28(19, 11, 28125),
    GBPS_50(20, 20, 53125),
    GBPS_400(21, 160, 425000),
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

    /** {@return multiple of 2.5 Gbit/s, -1 for {@link #PORT_CURRENT}} Answers to {@code ibv_rate_to_mult}. */
    public int multiple() {
        return multiple;
    }

    /** {@return Mbit/s, -1 for {@link #PORT_CURRENT}} Answers to {@code ibv_rate_to_mbps}. */
    public int mbps() {
        return mbps;
    }

    /**
     * {@return the rate of a multiple of 2.5 Gbit/s, else {@link #PORT_CURRENT}} Answers to {@code mult_to_ibv_rate}.
     */
    public static Rate ofMultiple(int multiple) {
        for (Rate rate : values()) {
            if (rate.multiple == multiple) {
                return rate;
            }
        }
        return PORT_CURRENT;
    }

    /** {@return the rate of exactly so many Mbit/s, else {@link #PORT_CURRENT}} Answers to {@code mbps_to_ibv_rate}. */
    public static Rate ofMbps(int mbps) {
        for (Rate rate : values()) {
            if (rate.mbps == mbps) {
                return rate;
            }
        }
        return PORT_CURRENT;
    }
}
