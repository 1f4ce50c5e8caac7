// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.uverbs.abi;

/**
 * How a frame encodes the attributes of its message. The code is the first version of the commands with this encoding.
 */
public enum AttributeEncoding {
    /**
     * Values in the order of the command's table row, without ids, like the structures of the {@code write} system
     * call. Values missing at the end read as zero. An unset value before the last one is sent as zero.
     */
    WRITE(1),

    /**
     * Each value with its id and length, in any order, like the attributes of the {@code ioctl} system call. Unset
     * values are absent.
     */
    IOCTL(2);

    private final int code;

    AttributeEncoding(int code) {
        this.code = code;
    }

    /** 8 bits. */
    int code() {
        return code;
    }

    /**
     * {@return the newest encoding that a server with this version of the commands decodes}
     *
     * @param version version of the commands in the device's entry
     */
    public static AttributeEncoding ofVersion(int version) {
        return version < IOCTL.code ? WRITE : IOCTL;
    }
}
