package io.rdma4j.verbs.spi;

/** A {@link PollSource} that a device looks at. Any thread may call. */
public interface PollRegistration extends AutoCloseable {
    /** There is work, and a thread slept: the calling thread does it now if no other thread drives the device, and those that sleep wake. */
    void wake();

    /** The device does not look at the source any more when this returns. Not by the thread that drives the device. */
    @Override
    void close();
}
