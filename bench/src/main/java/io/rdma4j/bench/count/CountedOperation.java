// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.bench.count;

/** An operation whose instructions are counted. */
public enum CountedOperation {
    /** The two writes to the {@link OperationMarks} around an operation; subtracted from every count. */
    NOTHING("nothing", 0, 0),

    /** Both ends of the rings on one thread, without a device. */
    QUEUE_LAYER("queue layer: post, take, complete and poll a SEND", 540, 350),

    /** The posting thread also delivers the message. */
    JVM_POST("one JVM: post a SEND of 64 B and deliver it", 2000, 250),

    /** Between two hosts, as two processes. */
    SHM_POST("shared memory: post a SEND of 64 B", 1700, 250),

    /** The poll that finds the message, and completes the receive. */
    SHM_TAKE("shared memory: take a SEND of 64 B by a poll", 2000, 300),

    /** The posting thread stores into the memory of the peer. */
    SHM_STORE("shared memory: post a WRITE of 64 B and store it", 2250, 250),

    /** A poll of an empty queue, the first after a message. */
    EMPTY_POLL("shared memory: empty poll", 310, 40),

    /** Up to and including the system call. */
    UDP_POST("UDP: post a SEND of 64 B", 9500, 2000),

    /** The poll that receives the packet, and completes the receive. */
    UDP_TAKE("UDP: take a SEND of 64 B by a poll", 9500, 2000);

    private final String text;
    private final int ceiling;
    private final int target;

    CountedOperation(String text, int ceiling, int target) {
        this.text = text;
        this.ceiling = ceiling;
        this.target = target;
    }

    /** Instructions that the operation must not exceed: today's count with room for other choices of the compiler. */
    public int ceiling() {
        return ceiling;
    }

    /** Instructions that the project works towards. */
    public int target() {
        return target;
    }

    @Override
    public String toString() {
        return text;
    }
}
