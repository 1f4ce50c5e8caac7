// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.wire;

import java.lang.foreign.MemorySegment;

/** The headers between IP and payload, {@code enum rxe_hdr_type}, with names, sizes and printers. */
public enum Header {
    /** {@link Bth}. */
    BTH("BTH", Bth.BYTES, Bth::describe),
    /** {@link XrcEth}. */
    XRCETH("XRCETH", XrcEth.BYTES, XrcEth::describe),
    /** {@link Deth}. */
    DETH("DETH", Deth.BYTES, Deth::describe),
    /** {@link Feth}. */
    FETH("FETH", Feth.BYTES, Feth::describe),
    /** {@link Reth}. */
    RETH("RETH", Reth.BYTES, Reth::describe),
    /** {@link AtomicEth}. */
    ATOMICETH("AtomicETH", AtomicEth.BYTES, AtomicEth::describe),
    /** {@link AtomicMaskEth}. */
    ATOMICMASKETH("AtomicMaskETH", AtomicMaskEth.BYTES, AtomicMaskEth::describe),
    /** {@link Aeth}. */
    AETH("AETH", Aeth.BYTES, Aeth::describe),
    /** {@link AtomicAckEth}. */
    ATOMICACKETH("AtomicAckETH", AtomicAckEth.BYTES, AtomicAckEth::describe),
    /** {@link ImmDt}. */
    IMMDT("ImmDt", ImmDt.BYTES, ImmDt::describe),
    /** {@link Ieth}. */
    IETH("IETH", Ieth.BYTES, Ieth::describe),
    /** {@link Cnp}. */
    CNP("CNP", Cnp.BYTES, Cnp::describe);

    @FunctionalInterface
    private interface Describer {
        void describe(MemorySegment segment, long offset, FieldSink sink);
    }

    private final String label;
    private final int bytes;

    @SuppressWarnings("ImmutableEnumChecker") // a stateless method reference
    private final Describer describer;

    Header(String label, int bytes, Describer describer) {
        this.label = label;
        this.bytes = bytes;
        this.describer = describer;
    }

    /** {@return the name in the specification} */
    public String label() {
        return label;
    }

    /** {@return bytes on the wire} */
    public int bytes() {
        return bytes;
    }

    /**
     * Passes the fields of the header at {@code offset} to {@code sink}.
     *
     * @param segment the memory of the packet
     * @param offset of the header's first byte in {@code segment}
     * @param sink receives name and value of each field
     */
    public void describe(MemorySegment segment, long offset, FieldSink sink) {
        describer.describe(segment, offset, sink);
    }
}
