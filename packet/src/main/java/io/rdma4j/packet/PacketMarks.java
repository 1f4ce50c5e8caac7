// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.packet;

import org.jspecify.annotations.Nullable;

/**
 * The fields of a buffer that filters, connection tracking and queues set: marks, labels and the flow
 * ({@link SkBuff#marks}).
 *
 * <p>In a new buffer all fields are 0, false or null. A clone gets a copy of all fields but {@link #peeked}.
 */
public final class PacketMarks {
    private @Nullable Object flow;
    private FlowState flowState = FlowState.UNTRACKED;
    private int secmark;
    private int mark;
    private boolean ipvsProperty;
    private boolean peeked;
    private boolean trace;

    PacketMarks() {}

    void clear() {
        resetFlow();
        secmark = 0;
        mark = 0;
        ipvsProperty = false;
        peeked = false;
        trace = false;
    }

    /** Copies all fields but {@link #peeked}: the copy has not been peeked at. */
    void copy(PacketMarks from) {
        flow = from.flow;
        flowState = from.flowState;
        secmark = from.secmark;
        mark = from.mark;
        ipvsProperty = from.ipvsProperty;
        peeked = false;
        trace = from.trace;
    }

    /** {@return the connection tracking entry of the packet, null if the packet is not tracked ({@code nfct})} */
    public @Nullable Object flow() {
        return flow;
    }

    /** {@return the state of the flow for this packet ({@code nfctinfo})} */
    public FlowState flowState() {
        return flowState;
    }

    /**
     * Sets {@link #flow()} and {@link #flowState()} ({@code nf_ct_set}).
     *
     * @param entry of the connection tracker; null for none
     * @param state of the flow for this packet
     */
    public void flow(@Nullable Object entry, FlowState state) {
        flow = entry;
        flowState = state;
    }

    /** Clears the flow, so that the connection tracker looks it up again ({@code nf_reset}). */
    public void resetFlow() {
        flow = null;
        flowState = FlowState.UNTRACKED;
    }

    /** {@return true if a load balancer handles the packet: other hooks ignore it ({@code ipvs_property})} */
    public boolean ipvsProperty() {
        return ipvsProperty;
    }

    /**
     * Sets {@link #ipvsProperty()}.
     *
     * @param value true if a load balancer handles the packet
     */
    public void ipvsProperty(boolean value) {
        ipvsProperty = value;
    }

    /** {@return true if a reader has peeked at the packet: it is counted already ({@code peeked})} */
    public boolean peeked() {
        return peeked;
    }

    /**
     * Sets {@link #peeked()}.
     *
     * @param value true if the packet is counted
     */
    public void peeked(boolean value) {
        peeked = value;
    }

    /** {@return true if each hook logs the packet ({@code nf_trace})} */
    public boolean trace() {
        return trace;
    }

    /**
     * Sets {@link #trace()}.
     *
     * @param value true to log the packet
     */
    public void trace(boolean value) {
        trace = value;
    }

    /** Clears {@link #trace()} ({@code nf_reset_trace}). */
    public void resetTrace() {
        trace = false;
    }

    /** {@return security label, 32 bits} */
    public int secmark() {
        return secmark;
    }

    /**
     * Sets {@link #secmark()}.
     *
     * @param label 32 bits, 0 for none
     */
    public void secmark(int label) {
        secmark = label;
    }

    /**
     * Copies the label of another packet ({@code skb_copy_secmark}).
     *
     * @param from is not changed
     */
    public void copySecmark(PacketMarks from) {
        secmark = from.secmark;
    }

    /** Clears the label ({@code skb_init_secmark}). */
    public void initSecmark() {
        secmark = 0;
    }

    // One word with three meanings (union { mark; dropcount; reserved_tailroom })

    /** {@return the mark that filters and routing rules match, 32 bits} */
    public int mark() {
        return mark;
    }

    /**
     * Sets {@link #mark()}.
     *
     * @param value 32 bits
     */
    public void mark(int value) {
        mark = value;
    }

    /**
     * {@return the number of packets that the receive queue had dropped before this one; the same word as
     * {@link #mark}}
     */
    public int dropcount() {
        return mark;
    }

    /**
     * Sets {@link #dropcount()}, and with it {@link #mark()}.
     *
     * @param packets dropped so far
     */
    public void dropcount(int packets) {
        mark = packets;
    }

    /**
     * {@return bytes of tailroom that are not for payload, while a stream fills the buffer; the same word as
     * {@link #mark}}
     */
    public int reservedTailroom() {
        return mark;
    }

    /**
     * Sets {@link #reservedTailroom()}, and with it {@link #mark()}.
     *
     * @param bytes at the end of the block
     */
    public void reservedTailroom(int bytes) {
        mark = bytes;
    }
}
