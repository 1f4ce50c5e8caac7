package io.rdma4j.base;

/** Path MTU: bytes of payload a packet may carry, headers not counted. Answers to {@code enum ibv_mtu}. */
public enum Mtu {
    MTU_256(1, 256),
    MTU_512(2, 512),
    MTU_1024(3, 1024),
    MTU_2048(4, 2048),
    MTU_4096(5, 4096);

    private static final Mtu[] BY_CODE = values();

    private final int code;
    private final int bytes;

    Mtu(int code, int bytes) {
        this.code = code;
        this.bytes = bytes;
    }

    /** The value in attributes and management messages, 1..5. */
    public int code() {
        return code;
    }

    /** Payload bytes of a full packet. */
    public int bytes() {
        return bytes;
    }

    /** @throws RdmaException EINVAL if {@code code} is not in 1..5 */
    public static Mtu ofCode(int code) {
        if (code < 1 || code > 5) {
            throw new RdmaException(Errno.EINVAL, "MTU code " + code + " is not in 1..5");
        }
        return BY_CODE[code - 1];
    }

    /** @throws RdmaException EINVAL if {@code bytes} is none of 256, 512, 1024, 2048, 4096 */
    public static Mtu ofBytes(int bytes) {
        for (Mtu mtu : values()) {
            if (mtu.bytes == bytes) {
                return mtu;
            }
        }
        throw new RdmaException(Errno.EINVAL, "MTU " + bytes + " is none of 256, 512, 1024, 2048, 4096");
    }

    /** The largest MTU of at most {@code bytes}, never less than 256. */
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
