package io.rdma4j.transport;

/** What became of a {@link WholeMessage}. */
public enum Handover {
    /** There is no way for it: nothing has happened. Packets have to be sent. */
    NO_WAY,
    /** The peer has it; that is its acknowledgement. */
    TAKEN,
    /** It is on its way, as packets would be: an acknowledgement will come, or a refusal. */
    SENT
}
