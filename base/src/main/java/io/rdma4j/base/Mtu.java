package io.rdma4j.base;

/** Path MTU: bytes of payload a packet may carry, headers not counted. Answers to {@code enum ibv_mtu}. */
public enum Mtu {
    /** {@code IBV_MTU_256}: 256 bytes, the least that every port has. */
    MTU_256(1, 256),
    /** {@code IBV_MTU_512}: 512 bytes. */
    MTU_512(2, 512),
    /** {@code IBV_MTU_1024}: 1024 bytes, what RoCE has on an Ethernet of 1500 bytes. */
    MTU_1024(3, 1024),
    /** {@code IBV_MTU_2048}: 2048 bytes. */
    MTU_2048(4, 2048),
    /** {@code IBV_MTU_4096}: 4096 bytes, the most that there is; RoCE needs jumbo frames for it. */
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
     * {@return the MTU of a number in attributes and management messages}
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
     * {@return the MTU of so many payload bytes}
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
     * {@return the largest MTU of at most {@code bytes}, never less than 256}
     *
     * @param bytes that a packet may carry
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
