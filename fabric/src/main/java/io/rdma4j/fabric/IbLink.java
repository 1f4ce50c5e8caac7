// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.fabric;

import org.jspecify.annotations.Nullable;

/** A cable between two ports. One thread at a time, that of the {@link EventSchedule}. */
public final class IbLink {
    private final LinkEnd first;
    private final LinkEnd second;
    private final EventSchedule schedule;
    private final IbLinkProfile profile;
    private final LinkDirection forth;
    private final LinkDirection back;
    private final FabricEvent training = new FabricEvent() {
        @Override
        void fire() {
            active = first.modes().common(second.modes());
            long picosPerByte = active == null || !profile.hasRate() ? 0 : active.picosPerByte();
            forth.rate(picosPerByte);
            back.rate(picosPerByte);
            first.linkUp();
            second.linkUp();
            first.announceAll();
            second.announceAll();
        }
    };

    private boolean isPlugged = true;
    private @Nullable LinkModes active;

    IbLink(FabricParts parts, LinkEnd first, LinkEnd second, IbLinkProfile profile) {
        this.schedule = parts.schedule();
        this.first = first;
        this.second = second;
        this.profile = profile;
        this.forth = new LinkDirection(parts, first, second, profile, true);
        this.back = new LinkDirection(parts, second, first, profile, false);
    }

    IbLinkProfile profile() {
        return profile;
    }

    /** The width and the speed of the link since it came up; null before. */
    @Nullable
    LinkModes active() {
        return active;
    }

    /** From the first port to the second one. */
    LinkDirection forth() {
        return forth;
    }

    LinkDirection back() {
        return back;
    }

    /** Pulls the cable: both ports go down. */
    public void unplug() {
        isPlugged = false;
        lose();
    }

    /** Plugs the cable again: the ports train if they poll. */
    public void plug() {
        isPlugged = true;
        train();
    }

    /** Takes the cable away for good: both ports go down, and may have another link. */
    public void remove() {
        unplug();
        first.unlinked();
        second.unlinked();
    }

    /** Brings the link up after the training time, if both ports poll and have a width and a speed in common. */
    void train() {
        boolean canTrain = isPlugged && first.modes().common(second.modes()) != null;
        if (canTrain && first.isPolling() && second.isPolling()) {
            schedule.after(training, profile.trainingNs());
        }
    }

    /** Brings both ports down; packets on the link are lost. They find each other again if they poll. */
    void lose() {
        schedule.cancel(training);
        first.linkDown();
        second.linkDown();
        forth.clear();
        back.clear();
        train();
    }
}
