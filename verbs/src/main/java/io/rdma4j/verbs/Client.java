package io.rdma4j.verbs;

import org.jspecify.annotations.Nullable;

/**
 * Who wants to know which devices there are, as they come and go. Answers to {@code struct ib_client}.
 *
 * <p>Calls come one at a time, on the thread that registers the client or brings the change about. A client may open devices and
 * register with them, but must not wait for another thread that uses the same {@link Host}. One that throws is logged, and
 * counts as told.
 */
public interface Client {
    /** {@return a name for people} Answers to {@code ib_client.name}. */
    String name();

    /**
     * A device is there: once for each at registration, and for each that comes later. The numbers of its ports are 1 to
     * {@link DeviceAttributes#physicalPortCount}. Answers to {@code ib_client.add}.
     *
     * @param device as long as it is there, the same object as {@link Host#devices} has
     */
    void add(Device device);

    /**
     * A device goes, or the client was unregistered; once for each that was added. When the call returns contexts of a device
     * that goes no longer work, see {@link Device#isPresent}. Answers to {@code ib_client.remove}.
     *
     * @param device the one that was added
     * @param data what the client left at the device, see {@link Device#setClientData}
     */
    void remove(Device device, @Nullable Object data);
}
