// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.base;

/** Path MTU: the maximum payload of a packet in bytes, without headers. Corresponds to {@code enum ibv_mtu}. */
public enum Mtu {
    /** {@code IBV_MTU_256}: 256 bytes, the minimum that every port supports. */
    MTU_256(1, 256),
    /** {@code IBV_MTU_512}: 512 bytes. */
    MTU_512(2, 512),
    /** {@code IBV_MTU_1024}: 1024 bytes, the maximum of RoCE on an Ethernet with an MTU of 1500 bytes. */
    MTU_1024(3, 1024),
    /** {@code IBV_MTU_2048}: 2048 bytes. */
    MTU_2048(4, 2048),
    /** {@code IBV_MTU_4096}: 4096 bytes, the maximum; RoCE needs jumbo frames for it. */
    MTU_4096(5, 4096);

    private static final Mtu[] BY_CODE = values();

    private final int code;
    private final int bytes;

    Mtu(int code, int bytes) {
        this.code = code;
        this.bytes = bytes;
    }

    /** {@return the value in attributes and management messages, 1..5} */
    public int code() {
        return code;
    }

    /** {@return payload bytes of a full packet} */
    public int bytes() {
        return bytes;
    }

    /**
     * {@return the MTU with a code of attributes and management messages}
     *
     * @param code 1..5
     * @throws RdmaException EINVAL if {@code code} is not in 1..5
     */
    public static Mtu ofCode(int code) {
        if (code < 1 || code > 5) {
            throw new RdmaException(Errno.EINVAL, "MTU code " + code + " is not in 1..5");
        }
        return BY_CODE[code - 1];
    }

    /**
     * {@return the MTU with a number of payload bytes}
     *
     * @param bytes a power of two
     * @throws RdmaException EINVAL if {@code bytes} is none of 256, 512, 1024, 2048, 4096
     */
    public static Mtu ofBytes(int bytes) {
        for (Mtu mtu : values()) {
            if (mtu.bytes == bytes) {
                return mtu;
            }
        }
        throw new RdmaException(Errno.EINVAL, "MTU " + bytes + " is none of 256, 512, 1024, 2048, 4096");
    }

    /**
     * {@return the largest MTU of at most {@code bytes}, but at least 256}
     *
     * @param bytes maximum payload of a packet
     */
    public static Mtu largestWithin(int bytes) {
        Mtu best = MTU_256;
        for (Mtu mtu : values()) {
            if (mtu.bytes <= bytes) {
                best = mtu;
            }
        }
        return best;
    }
}
