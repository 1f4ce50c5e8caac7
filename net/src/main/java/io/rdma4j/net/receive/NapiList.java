// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.net.receive;

import io.rdma4j.base.Errno;
import io.rdma4j.base.RdmaException;
import java.lang.System.Logger.Level;
import java.util.ArrayList;
import java.util.List;

/** The polling contexts of a device ({@code napi_list}). Any thread may call it; control path. */
public final class NapiList {
    private static final System.Logger LOGGER = System.getLogger(NapiList.class.getName());

    private final String device;
    private final LoopLink link;
    private final GroReceive gro;
    private final List<Napi> contexts = new ArrayList<>();

    NapiList(String device, LoopLink link, GroReceive gro) {
        this.device = device;
        this.link = link;
        this.gro = gro;
    }

    /**
     * Adds a disabled context ({@code netif_napi_add}).
     *
     * @param source receives the packets
     * @param weight maximum number of packets in one poll; more than {@link Napi#POLL_WEIGHT} is accepted and logged as
     *     an error
     * @return the context
     * @throws RdmaException EINVAL for a weight less than 1
     */
    public synchronized Napi add(NapiPoll source, int weight) {
        if (weight < 1) {
            throw new RdmaException(
                    Errno.EINVAL, device + ": weight " + weight + " of a polling context is less than 1");
        }
        if (weight > Napi.POLL_WEIGHT) {
            LOGGER.log(
                    Level.ERROR,
                    "{0}: weight {1} of a polling context is more than {2}",
                    device,
                    Integer.toString(weight),
                    Integer.toString(Napi.POLL_WEIGHT));
        }
        Napi napi = new Napi(source, weight, gro);
        contexts.add(napi);
        PollLoop loop = link.loop();
        if (loop != null) {
            napi.join(loop);
        }
        return napi;
    }

    /**
     * Removes a context for ever ({@code netif_napi_del}). A poll of it ends first. No effect for a context of another
     * device.
     *
     * @param napi the context
     */
    public void remove(Napi napi) {
        // The loop before the list: the owner of the loop reads the list.
        link.exclusively(() -> take(napi));
    }

    private synchronized void take(Napi napi) {
        if (contexts.remove(napi)) {
            napi.disable();
            PollLoop loop = link.loop();
            if (loop != null) {
                napi.leave(loop);
            }
        }
    }

    /** {@return all contexts in the order of their addition, an unmodifiable copy} */
    public synchronized List<Napi> all() {
        return List.copyOf(contexts);
    }

    /**
     * Attaches the device to a loop, which then drives its present and future receivers and its transmit queues.
     *
     * @param driving the loop
     * @throws RdmaException EBUSY if another loop drives the device
     */
    public synchronized void attach(PollLoop driving) {
        if (link.loop() != null) {
            throw new RdmaException(Errno.EBUSY, device + " is driven by a loop already");
        }
        link.loop(driving);
        for (Napi napi : contexts) {
            napi.join(driving);
        }
    }

    /** Undoes {@link #attach}, when a run of the loop by another thread has ended. No effect without a loop. */
    public void detach() {
        link.exclusively(this::leave);
    }

    private synchronized void leave() {
        PollLoop loop = link.loop();
        if (loop != null) {
            link.loop(null);
            for (Napi napi : contexts) {
                napi.leave(loop);
            }
        }
    }

    /**
     * Sets the number of the interrupt vector that wakes the polling thread, see {@code NetDevice.irq}. The loop of the
     * device calls it.
     *
     * @param number vector number, from 1; 0 for none
     */
    public void irq(int number) {
        link.irq(number);
    }
}
