// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.verbs;

import io.rdma4j.verbs.values.AccessFlag;
import io.rdma4j.verbs.wr.FlushLevel;
import io.rdma4j.verbs.wr.FlushType;
import io.rdma4j.verbs.wr.WrOpcode;
import java.lang.foreign.MemorySegment;
import java.util.EnumSet;
import java.util.Set;

/**
 * The operands of a send request besides its data; immutable. Corresponds to the union {@code wr} of
 * {@code struct ibv_send_wr}.
 */
public sealed interface SendOperation {
    /** {@return the opcodes that have these operands} */
    Set<WrOpcode> opcodes();

    /** No operands, except the immediate data or the key of the request. */
    record Plain() implements SendOperation {
        private static final Set<WrOpcode> OPCODES =
                EnumSet.of(WrOpcode.SEND, WrOpcode.SEND_WITH_IMM, WrOpcode.SEND_WITH_INV, WrOpcode.LOCAL_INV);

        @Override
        public Set<WrOpcode> opcodes() {
            return OPCODES;
        }
    }

    /**
     * Memory of the peer. Corresponds to {@code wr.rdma}.
     *
     * @param rkey key of its region or window
     * @param address in the region's or window's address space
     */
    record Remote(int rkey, long address) implements SendOperation {
        private static final Set<WrOpcode> OPCODES = EnumSet.of(
                WrOpcode.RDMA_WRITE, WrOpcode.RDMA_WRITE_WITH_IMM, WrOpcode.RDMA_READ, WrOpcode.RDMA_READ_WITH_INV);

        @Override
        public Set<WrOpcode> opcodes() {
            return OPCODES;
        }
    }

    /**
     * 8 bytes of the peer's memory for an atomic operation. Corresponds to {@code wr.atomic}.
     *
     * @param to address of the 8 bytes; a multiple of 8
     * @param compareAdd the value to compare with, or to add
     * @param compareAddMask the bits to compare; for a masked fetch-and-add the highest bit of each field; else all
     *     bits
     * @param swap the value to store; 0 for fetch-and-add
     * @param swapMask the bits of it to store; 0 for a masked fetch-and-add; else all bits
     */
    record Atomic(Remote to, long compareAdd, long compareAddMask, long swap, long swapMask) implements SendOperation {
        private static final Set<WrOpcode> OPCODES = EnumSet.of(
                WrOpcode.ATOMIC_CMP_AND_SWP,
                WrOpcode.ATOMIC_FETCH_AND_ADD,
                WrOpcode.MASKED_ATOMIC_CMP_AND_SWP,
                WrOpcode.MASKED_ATOMIC_FETCH_AND_ADD);

        @Override
        public Set<WrOpcode> opcodes() {
            return OPCODES;
        }
    }

    /**
     * A value for 8 bytes of the peer's memory.
     *
     * @param to address of the 8 bytes; a multiple of 8
     * @param value in native byte order
     */
    record AtomicWrite(Remote to, long value) implements SendOperation {
        @Override
        public Set<WrOpcode> opcodes() {
            return EnumSet.of(WrOpcode.ATOMIC_WRITE);
        }
    }

    /**
     * The range and the placement of a FLUSH. Corresponds to {@code wr.flush}.
     *
     * @param from the first byte
     * @param lengthBytes below 2^32
     * @param types one or both
     * @param level the given range, or the whole region
     */
    record Flush(Remote from, long lengthBytes, Set<FlushType> types, FlushLevel level) implements SendOperation {
        /** Copies the set. */
        public Flush {
            types = Set.copyOf(types);
        }

        @Override
        public Set<WrOpcode> opcodes() {
            return EnumSet.of(WrOpcode.FLUSH);
        }
    }

    /**
     * A window and its binding. Corresponds to {@code wr.bind_mw}.
     *
     * @param window of type 2
     * @param rkey the new key
     * @param binding the memory and the rights
     */
    record Bind(MemoryWindow window, int rkey, WindowBinding binding) implements SendOperation {
        @Override
        public Set<WrOpcode> opcodes() {
            return EnumSet.of(WrOpcode.BIND_MW);
        }
    }

    /**
     * A region to register. Corresponds to {@code struct ib_reg_wr}.
     *
     * @param region with memory mapped to it
     * @param key the new key
     * @param access the rights
     */
    record Registration(FastMemoryRegion region, int key, Set<AccessFlag> access) implements SendOperation {
        /** Copies the set. */
        public Registration {
            access = Set.copyOf(access);
        }

        @Override
        public Set<WrOpcode> opcodes() {
            return EnumSet.of(WrOpcode.REG_MR);
        }
    }

    /**
     * The segmentation of a large send. Corresponds to {@code tso} of {@code struct ibv_send_wr}.
     *
     * @param header first bytes of each segment
     * @param segmentBytes maximum bytes behind the header
     */
    record Segmented(MemorySegment header, int segmentBytes) implements SendOperation {
        @Override
        public Set<WrOpcode> opcodes() {
            return EnumSet.of(WrOpcode.TSO);
        }
    }
}
