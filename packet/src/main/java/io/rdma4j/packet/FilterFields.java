package io.rdma4j.packet;

import org.jspecify.annotations.Nullable;

/**
 * What filters, flow tracking and queues write on a buffer: marks, labels and the flow it belongs to.
 *
 * <p>A class of its own only to keep {@link SkBuff} readable; there is no other kind.
 */
public abstract sealed class FilterFields extends SharedPart permits PacketFields {
    private @Nullable Object flow;
    private FlowState flowState = FlowState.UNTRACKED;
    private int secmark;
    private int mark;
    private boolean ipvsProperty;
    private boolean peeked;
    private boolean trace;

    FilterFields() {}

    void clearFilterFields() {
        resetFlow();
        secmark = 0;
        mark = 0;
        ipvsProperty = false;
        peeked = false;
        trace = false;
    }

    /** All of them but {@link #peeked}: nobody has seen this one. */
    void copyFilterFields(FilterFields from) {
        flow = from.flow;
        flowState = from.flowState;
        secmark = from.secmark;
        mark = from.mark;
        ipvsProperty = from.ipvsProperty;
        peeked = false;
        trace = from.trace;
    }

    /** {@return the entry of the flow that the packet belongs to, null if nobody tracks ({@code nfct})} */
    public final @Nullable Object flow() {
        return flow;
    }

    /** {@return what that flow has come to ({@code nfctinfo})} */
    public final FlowState flowState() {
        return flowState;
    }

    /**
     * Puts the packet into a flow ({@code nf_ct_set}).
     *
     * @param entry of the tracker; null for none
     * @param state what the packet is to the flow
     */
    public final void flow(@Nullable Object entry, FlowState state) {
        flow = entry;
        flowState = state;
    }

    /** Takes the packet out of its flow, so that it is looked up anew ({@code nf_reset}). */
    public final void resetFlow() {
        flow = null;
        flowState = FlowState.UNTRACKED;
    }

    /** {@return true if a load balancer owns it: other hooks leave it alone ({@code ipvs_property})} */
    public final boolean ipvsProperty() {
        return ipvsProperty;
    }

    /**
     * Sets {@link #ipvsProperty()}.
     *
     * @param value true if it is so
     */
    public final void ipvsProperty(boolean value) {
        ipvsProperty = value;
    }

    /** {@return true if it was seen, and counted, before ({@code peeked})} */
    public final boolean peeked() {
        return peeked;
    }

    /**
     * Sets {@link #peeked()}.
     *
     * @param value true if it is so
     */
    public final void peeked(boolean value) {
        peeked = value;
    }

    /** {@return true if every room tells of it ({@code nf_trace})} */
    public final boolean trace() {
        return trace;
    }

    /**
     * Sets {@link #trace()}.
     *
     * @param value true to be told of
     */
    public final void trace(boolean value) {
        trace = value;
    }

    /** Nobody tells of it any more ({@code nf_reset_trace}). */
    public final void resetTrace() {
        trace = false;
    }

    /** {@return security label, 32 bits} */
    public final int secmark() {
        return secmark;
    }

    /**
     * Sets {@link #secmark()}.
     *
     * @param label 32 bits, 0 for none
     */
    public final void secmark(int label) {
        secmark = label;
    }

    /**
     * Takes over the label of another buffer ({@code skb_copy_secmark}).
     *
     * @param from which stays as it is
     */
    public final void copySecmark(FilterFields from) {
        secmark = from.secmark;
    }

    /** No label ({@code skb_init_secmark}). */
    public final void initSecmark() {
        secmark = 0;
    }

    // One word, three meanings (union { mark; dropcount; reserved_tailroom })

    /** {@return what filters and routing rules match, 32 bits} */
    public final int mark() {
        return mark;
    }

    /**
     * Sets {@link #mark()}.
     *
     * @param value 32 bits
     */
    public final void mark(int value) {
        mark = value;
    }

    /**
     * {@return in a receive queue: how many packets the queue had dropped when this one came} The same word as
     * {@link #mark}.
     */
    public final int dropcount() {
        return mark;
    }

    /**
     * Sets {@link #dropcount()}, and with it {@link #mark()}.
     *
     * @param packets so far
     */
    public final void dropcount(int packets) {
        mark = packets;
    }

    /**
     * {@return while a stream builds it: bytes of tailroom that are not for payload} The same word as {@link #mark}.
     */
    public final int reservedTailroom() {
        return mark;
    }

    /**
     * Sets {@link #reservedTailroom()}, and with it {@link #mark()}.
     *
     * @param bytes from the end
     */
    public final void reservedTailroom(int bytes) {
        mark = bytes;
    }

    /** {@return tailroom that is for payload, while a stream builds it ({@code skb_availroom})} */
    public final int availroom() {
        return Math.max(0, tailroom() - mark);
    }
}
