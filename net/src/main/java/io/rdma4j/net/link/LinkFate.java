package io.rdma4j.net.link;

/** What may become of a packet that is given to an {@link ImpairedPath}; several of these may. */
public enum LinkFate {
    /** It was given to the path. */
    SENT("sent"),
    /** It, or a copy, reached the other end. */
    ARRIVED("arrived"),
    /** Lost by chance. */
    LOST("lost"),
    /** Longer than the path's MTU, and lost. */
    TOO_LONG("too long"),
    /** It found the queue full, or no memory for packets under way, and is lost. */
    QUEUE_FULL("overflowed"),
    /** The carrier held it back. */
    HELD_BACK("held back"),
    /** Sent on twice. */
    DUPLICATED("duplicated"),
    /** Delayed so that others may overtake it. */
    DELAYED("delayed"),
    /** Marked because it met congestion (ECN CE). */
    MARKED("marked"),
    /** Some of its bits were changed. */
    CORRUPTED("corrupted");

    private final String text;

    LinkFate(String text) {
        this.text = text;
    }

    /** {@return the word for it, as in "3 lost"} */
    public String text() {
        return text;
    }
}
