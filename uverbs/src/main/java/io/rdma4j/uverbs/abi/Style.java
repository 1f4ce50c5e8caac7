package io.rdma4j.uverbs.abi;

/** How the attributes of a message lie in a frame. The code is the version of the commands that had it first. */
public enum Style {
    /**
     * One behind the other, in the order of the command's table row, like the structures of the {@code write} system call: short. What is
     * missing at the end reads as zero, and so does one in between that was not set.
     */
    WRITE(1),

    /** Each with its id and length, in any order, like those of the {@code ioctl} system call: what was not set is absent. */
    IOCTL(2);

    private final int code;

    Style(int code) {
        this.code = code;
    }

    /** 8 bits. */
    int code() {
        return code;
    }

    /**
     * {@return what a server of this version of the commands understands best}
     *
     * @param version that the entry of a device tells
     */
    public static Style ofVersion(int version) {
        return version < IOCTL.code ? WRITE : IOCTL;
    }
}
