package io.rdma4j.net;

import io.rdma4j.base.Errno;
import io.rdma4j.base.RdmaException;
import java.lang.System.Logger.Level;
import java.util.ArrayList;
import java.util.List;

/** The polling contexts of a device ({@code napi_list}). Any thread; control path. */
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
     * Adds a context, disabled ({@code netif_napi_add}).
     *
     * @param source what is to be polled
     * @param weight packets that it may hand over in one poll; more than {@link Napi#POLL_WEIGHT} is taken, and an error in the log
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
            join(napi, loop);
        }
        return napi;
    }

    /**
     * Removes a context for good ({@code netif_napi_del}), while nobody is in the loop; nothing happens if it is none.
     *
     * @param napi one of the device's, or any other
     */
    public synchronized void remove(Napi napi) {
        if (contexts.remove(napi)) {
            napi.disable();
            PollLoop loop = link.loop();
            if (loop != null) {
                leave(napi, loop);
            }
        }
    }

    /** {@return all, in the order they were added; unmodifiable, as of now} */
    public synchronized List<Napi> all() {
        return List.copyOf(contexts);
    }

    /**
     * From now on {@code driving} drives the device: its receivers, also those to come, and its transmit queues.
     *
     * @param driving the loop
     * @throws RdmaException EBUSY if another loop does
     */
    public synchronized void attach(PollLoop driving) {
        if (link.loop() != null) {
            throw new RdmaException(Errno.EBUSY, device + " is driven by a loop already");
        }
        link.loop(driving);
        for (Napi napi : contexts) {
            join(napi, driving);
        }
    }

    /** Undoes {@link #attach}, while nobody is in the loop; nothing happens without a loop. */
    public synchronized void detach() {
        PollLoop loop = link.loop();
        if (loop != null) {
            link.loop(null);
            for (Napi napi : contexts) {
                leave(napi, loop);
            }
        }
    }

    /**
     * Sets the number of the interrupt vector that wakes who polls them, see {@link NetDevice#irq}; by who drives the device.
     *
     * @param number of the vector, from 1; 0 for none
     */
    public void irq(int number) {
        link.irq(number);
    }

    private static void join(Napi napi, PollLoop polling) {
        napi.loop(polling);
        polling.add(napi);
    }

    private static void leave(Napi napi, PollLoop polling) {
        napi.loop(null);
        polling.remove(napi);
    }
}
