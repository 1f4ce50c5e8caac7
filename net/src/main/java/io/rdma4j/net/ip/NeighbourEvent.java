package io.rdma4j.net.ip;

/** What moves a neighbour from one {@link NeighbourState} to another. */
enum NeighbourEvent {
    /** A packet is to go to it ({@code neigh_event_send}). */
    SEND,
    /** It answered to a question of ours. */
    CONFIRMED,
    /** Its link address was seen for the first time, or again, in what nobody asked for. */
    HEARD,
    /** It was seen to have another link address, in what nobody asked for. */
    MOVED,
    /** Somebody says that it has another link address, but does not insist ({@code NEIGH_UPDATE_F_WEAK_OVERRIDE}). */
    DOUBTED,
    /** The time for which an answer counts is over, and nothing was sent lately. */
    EXPIRED_IDLE,
    /** The time for which an answer counts is over, and packets go there. */
    EXPIRED_IN_USE,
    /** The time is over in which it might have been heard of without a question. */
    DELAY_OVER,
    /** As many questions as may be went unanswered. */
    UNANSWERED
}
