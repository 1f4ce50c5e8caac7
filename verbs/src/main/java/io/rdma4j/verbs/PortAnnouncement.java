package io.rdma4j.verbs;

import java.util.Set;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * Sets a capability bit of a port that announces a listening agent, until it is closed; see {@link Port#announce}. Any
 * thread.
 */
public final class PortAnnouncement implements AutoCloseable {
    private final Context context;
    private final Port port;
    private final PortCapability capability;
    private final AtomicBoolean closed = new AtomicBoolean();

    private PortAnnouncement(Context context, Port port, PortCapability capability) {
        this.context = context;
        this.port = port;
        this.capability = capability;
    }

    static PortAnnouncement of(Context context, Port port, PortCapability capability) {
        Set<PortCapability> one = Set.of(capability);
        context.device()
                .announcements()
                .add(port.number(), capability, () -> port.modify(PortModification.ofCapabilities(one, Set.of())));
        return new PortAnnouncement(context, port, capability);
    }

    /** {@return the announced capability} */
    public PortCapability capability() {
        return capability;
    }

    /** Withdraws this announcement; the last one of its capability clears the bit. Idempotent. */
    @Override
    public void close() {
        if (closed.compareAndSet(false, true)) {
            Set<PortCapability> one = Set.of(capability);
            context.device().announcements().remove(port.number(), capability, () -> {
                if (context.device().isPresent()) {
                    port.modify(PortModification.ofCapabilities(Set.of(), one));
                }
            });
            context.life().release(ObjectKind.PORT_ANNOUNCEMENT);
        }
    }
}
