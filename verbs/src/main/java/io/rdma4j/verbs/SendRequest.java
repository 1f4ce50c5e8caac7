// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.verbs;

import io.rdma4j.base.Errno;
import io.rdma4j.base.RdmaException;
import io.rdma4j.verbs.values.AccessFlag;
import io.rdma4j.verbs.wr.FlushLevel;
import io.rdma4j.verbs.wr.FlushType;
import io.rdma4j.verbs.wr.SendBatch;
import io.rdma4j.verbs.wr.SendFlag;
import io.rdma4j.verbs.wr.Sge;
import io.rdma4j.verbs.wr.WindowType;
import io.rdma4j.verbs.wr.WrOpcode;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.OptionalInt;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * A work request for a send queue; immutable, may be posted repeatedly. Corresponds to {@code struct ibv_send_wr}.
 *
 * {@snippet :
 * qp.postSend(SendRequest.send().wrId(7).signaled().sge(mr.sge(0, 4096)).build());
 * qp.postSend(SendRequest.rdmaRead(rkey, remoteAddress).sge(mr.sge(0, 4096)).build());
 * }
 *
 * @param wrId {@code wr_id}: the number in the completion
 * @param opcode {@code opcode}
 * @param flags {@code send_flags}; must contain INLINE exactly if there are inline data
 * @param sges {@code sg_list}: memory of the message, in order; empty for an empty message
 * @param immediate {@code imm_data}: 32 bits that arrive with the message, or {@code invalidate_rkey}: the key to
 *     invalidate
 * @param inlineData data of the message, copied while posting; null without INLINE
 * @param operation {@code wr}: further operands of the opcode
 * @param destination {@code wr.ud} or {@code qp_type.xrc}: destination for queue pairs without a fixed peer
 */
public record SendRequest(
        long wrId,
        WrOpcode opcode,
        Set<SendFlag> flags,
        List<Sge> sges,
        int immediate,
        @Nullable MemorySegment inlineData,
        SendOperation operation,
        @Nullable SendDestination destination)
        implements WorkRequest {
    private static final SendOperation PLAIN = new SendOperation.Plain();
    private static final long ALL_BITS = -1;

    /**
     * Checks that the parts agree.
     *
     * @throws RdmaException EINVAL if opcode and operation do not agree, or flag INLINE and the inline data
     */
    public SendRequest {
        flags = Set.copyOf(flags);
        sges = List.copyOf(sges);
        if (!operation.opcodes().contains(opcode)) {
            throw new RdmaException(Errno.EINVAL, opcode + " does not go with " + operation);
        }
        if (flags.contains(SendFlag.INLINE) != (inlineData != null)) {
            throw new RdmaException(Errno.EINVAL, "flag INLINE and inline data go together");
        }
    }

    /** {@return a SEND} */
    public static Builder send() {
        return new Builder(WrOpcode.SEND, 0, PLAIN);
    }

    /**
     * {@return a SEND with immediate data}
     *
     * @param immediate 32 bits; the peer's completion has the same value
     */
    public static Builder sendWithImmediate(int immediate) {
        return new Builder(WrOpcode.SEND_WITH_IMM, immediate, PLAIN);
    }

    /**
     * {@return a SEND that invalidates a key of the receiver; see {@link SendBatch#sendInvalidate}}
     *
     * @param rkey R_Key of the peer: 32 bits
     */
    public static Builder sendWithInvalidate(int rkey) {
        return new Builder(WrOpcode.SEND_WITH_INV, rkey, PLAIN);
    }

    /**
     * {@return an RDMA WRITE; see {@link SendBatch#rdmaWrite}}
     *
     * @param rkey R_Key of the peer: 32 bits
     * @param remoteAddress in the address space of the peer's region or window
     */
    public static Builder rdmaWrite(int rkey, long remoteAddress) {
        return remote(WrOpcode.RDMA_WRITE, 0, rkey, remoteAddress);
    }

    /**
     * {@return an RDMA WRITE with immediate data; see {@link SendBatch#rdmaWriteImm}}
     *
     * @param rkey R_Key of the peer: 32 bits
     * @param remoteAddress in the address space of the peer's region or window
     * @param immediate 32 bits; the peer's completion has the same value
     */
    public static Builder rdmaWriteWithImmediate(int rkey, long remoteAddress, int immediate) {
        return remote(WrOpcode.RDMA_WRITE_WITH_IMM, immediate, rkey, remoteAddress);
    }

    /**
     * {@return an RDMA READ; see {@link SendBatch#rdmaRead}}
     *
     * @param rkey R_Key of the peer: 32 bits
     * @param remoteAddress in the address space of the peer's region or window
     */
    public static Builder rdmaRead(int rkey, long remoteAddress) {
        return remote(WrOpcode.RDMA_READ, 0, rkey, remoteAddress);
    }

    /**
     * {@return an RDMA READ that invalidates a local key; see {@link SendBatch#rdmaReadInvalidate}}
     *
     * @param rkey R_Key of the peer: 32 bits
     * @param remoteAddress in the address space of the peer's region or window
     * @param localKey of a fast-registered region
     */
    public static Builder rdmaReadWithInvalidate(int rkey, long remoteAddress, int localKey) {
        return remote(WrOpcode.RDMA_READ_WITH_INV, localKey, rkey, remoteAddress);
    }

    /**
     * {@return a compare-and-swap; see {@link SendBatch#atomicCompareSwap}}
     *
     * @param rkey R_Key of the peer: 32 bits
     * @param remoteAddress in the address space of the peer's region or window; a multiple of 8
     * @param compare value that must equal the present one
     * @param swap value to store if they are equal
     */
    public static Builder atomicCompareSwap(int rkey, long remoteAddress, long compare, long swap) {
        return atomic(WrOpcode.ATOMIC_CMP_AND_SWP, rkey, remoteAddress, compare, ALL_BITS, swap, ALL_BITS);
    }

    /**
     * {@return a fetch-and-add; see {@link SendBatch#atomicFetchAdd}}
     *
     * @param rkey R_Key of the peer: 32 bits
     * @param remoteAddress in the address space of the peer's region or window; a multiple of 8
     * @param add 64 bits; the sum wraps
     */
    public static Builder atomicFetchAdd(int rkey, long remoteAddress, long add) {
        return atomic(WrOpcode.ATOMIC_FETCH_AND_ADD, rkey, remoteAddress, add, ALL_BITS, 0, ALL_BITS);
    }

    /**
     * {@return a masked compare-and-swap; see {@link SendBatch#maskedAtomicCompareSwap}}
     *
     * @param rkey R_Key of the peer: 32 bits
     * @param remoteAddress in the address space of the peer's region or window; a multiple of 8
     * @param compare value that must equal the present one in the bits of {@code compareMask}
     * @param compareMask bits to compare
     * @param swap value to store if they are equal
     * @param swapMask bits to replace
     */
    public static Builder maskedAtomicCompareSwap(
            int rkey, long remoteAddress, long compare, long compareMask, long swap, long swapMask) {
        return atomic(WrOpcode.MASKED_ATOMIC_CMP_AND_SWP, rkey, remoteAddress, compare, compareMask, swap, swapMask);
    }

    /**
     * {@return a fetch-and-add to several fields; see {@link SendBatch#maskedAtomicFetchAdd}}
     *
     * @param rkey R_Key of the peer: 32 bits
     * @param remoteAddress in the address space of the peer's region or window; a multiple of 8
     * @param add 64 bits; the sum of each field wraps
     * @param boundaries the highest bit of each field; 0 for one field of 64 bits
     */
    public static Builder maskedAtomicFetchAdd(int rkey, long remoteAddress, long add, long boundaries) {
        return atomic(WrOpcode.MASKED_ATOMIC_FETCH_AND_ADD, rkey, remoteAddress, add, boundaries, 0, 0);
    }

    /**
     * {@return a FLUSH; see {@link SendBatch#flush}}
     *
     * @param rkey R_Key of the peer: 32 bits
     * @param remoteAddress in the address space of the peer's region or window
     * @param lengthBytes below 2^32; ignored with the level MR
     * @param types one or both
     * @param level the given range, or the whole region
     */
    public static Builder flush(
            int rkey, long remoteAddress, long lengthBytes, Set<FlushType> types, FlushLevel level) {
        SendOperation.Remote from = new SendOperation.Remote(rkey, remoteAddress);
        return new Builder(WrOpcode.FLUSH, 0, new SendOperation.Flush(from, lengthBytes, types, level));
    }

    /**
     * {@return an ATOMIC WRITE; see {@link SendBatch#atomicWrite}}
     *
     * @param rkey R_Key of the peer: 32 bits
     * @param remoteAddress in the address space of the peer's region or window; a multiple of 8
     * @param value the 8 bytes in native order
     */
    public static Builder atomicWrite(int rkey, long remoteAddress, long value) {
        SendOperation.Remote to = new SendOperation.Remote(rkey, remoteAddress);
        return new Builder(WrOpcode.ATOMIC_WRITE, 0, new SendOperation.AtomicWrite(to, value));
    }

    /**
     * {@return the invalidation of a local key; see {@link SendBatch#localInvalidate}}
     *
     * @param key 32 bits, of a fast-registered region or a window of type 2
     */
    public static Builder localInvalidate(int key) {
        return new Builder(WrOpcode.LOCAL_INV, key, PLAIN);
    }

    /**
     * {@return the binding of a window of type 2; see {@link SendBatch#bindWindow}}
     *
     * @param window of type 2
     * @param rkey the new key: only the low 8 bits may differ from the present one
     * @param binding the memory and the rights
     * @throws RdmaException EINVAL for a window of type 1, which {@link MemoryWindow#bind} binds
     */
    public static Builder bindWindow(MemoryWindow window, int rkey, WindowBinding binding) {
        if (window.type() != WindowType.TYPE_2) {
            throw new RdmaException(Errno.EINVAL, window + " is of type 1: use its method bind");
        }
        return bindUnchecked(window, rkey, binding);
    }

    static Builder bindUnchecked(MemoryWindow window, int rkey, WindowBinding binding) {
        return new Builder(WrOpcode.BIND_MW, 0, new SendOperation.Bind(window, rkey, binding));
    }

    /**
     * {@return the registration of the memory that was mapped to a region; see {@link SendBatch#registerMemory}}
     *
     * @param region with memory mapped to it
     * @param key the new key: only the low 8 bits may differ from the present one
     * @param access the rights
     */
    public static Builder registerMemory(FastMemoryRegion region, int key, Set<AccessFlag> access) {
        return new Builder(WrOpcode.REG_MR, 0, new SendOperation.Registration(region, key, access));
    }

    /**
     * {@return a large send; see {@link SendBatch#sendSegmented}} The header must stay unchanged until the request is
     * posted.
     *
     * @param header first bytes of each segment
     * @param segmentBytes {@code mss}: maximum bytes behind the header in one segment
     */
    public static Builder sendSegmented(MemorySegment header, int segmentBytes) {
        return new Builder(WrOpcode.TSO, 0, new SendOperation.Segmented(header, segmentBytes));
    }

    private static Builder remote(WrOpcode opcode, int immediate, int rkey, long address) {
        return new Builder(opcode, immediate, new SendOperation.Remote(rkey, address));
    }

    private static Builder atomic(
            WrOpcode opcode, int rkey, long address, long compareAdd, long compareAddMask, long swap, long swapMask) {
        SendOperation.Remote to = new SendOperation.Remote(rkey, address);
        return new Builder(opcode, 0, new SendOperation.Atomic(to, compareAdd, compareAddMask, swap, swapMask));
    }

    /** Writes the request into an open batch. */
    void addTo(SendBatch batch) {
        SendRequestWriter.write(this, batch);
    }

    /**
     * Checks the objects of the request.
     *
     * @throws RdmaException EINVAL if one is closed or cannot be used with {@code qp}
     */
    void checkObjects(QueuePair qp) {
        if (operation instanceof SendOperation.Bind bind) {
            bind.window().check(qp, bind.binding());
        } else if (operation instanceof SendOperation.Registration registration) {
            registration.region().check(qp);
        }
        if (destination instanceof SendDestination.Datagram datagram) {
            datagram.path().check(qp);
        }
    }

    /** Collects a request; each setter has the name of the component that it sets. One thread. */
    public static final class Builder {
        private final WrOpcode opcode;
        private final int immediate;
        private final SendOperation operation;
        private final Set<SendFlag> flags = EnumSet.noneOf(SendFlag.class);
        private final List<Sge> sges = new ArrayList<>();
        private long wrId;
        private @Nullable MemorySegment inlineData;
        private @Nullable SendDestination destination;

        private Builder(WrOpcode opcode, int immediate, SendOperation operation) {
            this.opcode = opcode;
            this.immediate = immediate;
            this.operation = operation;
        }

        /**
         * Sets {@link SendRequest#wrId}.
         *
         * @param wrId {@code wr_id}: 64 bits that the device does not interpret
         * @return this builder
         */
        public Builder wrId(long wrId) {
            this.wrId = wrId;
            return this;
        }

        /**
         * Adds a flag.
         *
         * @param flag flag to add
         * @return this builder
         */
        public Builder flag(SendFlag flag) {
            flags.add(flag);
            return this;
        }

        /**
         * Adds flags.
         *
         * @param more flags to add
         * @return this builder
         */
        public Builder flags(Set<SendFlag> more) {
            flags.addAll(more);
            return this;
        }

        /**
         * Adds {@link SendFlag#SIGNALED}.
         *
         * @return this builder
         */
        public Builder signaled() {
            return flag(SendFlag.SIGNALED);
        }

        /**
         * Adds {@link SendFlag#SOLICITED}.
         *
         * @return this builder
         */
        public Builder solicited() {
            return flag(SendFlag.SOLICITED);
        }

        /**
         * Adds {@link SendFlag#FENCE}.
         *
         * @return this builder
         */
        public Builder fenced() {
            return flag(SendFlag.FENCE);
        }

        /**
         * Appends a scatter/gather element.
         *
         * @param sge element to append
         * @return this builder
         */
        public Builder sge(Sge sge) {
            sges.add(sge);
            return this;
        }

        /**
         * Sets the data of the message and adds {@link SendFlag#INLINE}. The data must stay allocated and unchanged
         * until the request is posted.
         *
         * @param data any memory
         * @return this builder
         */
        public Builder inlineData(MemorySegment data) {
            inlineData = data;
            return flag(SendFlag.INLINE);
        }

        /**
         * Sets the destination of a datagram; see {@link SendBatch#destination}.
         *
         * @param path of the queue pair's protection domain
         * @param remoteQpn 24 bits; 0xFFFFFF for a multicast group
         * @param remoteQkey 32 bits; if bit 31 is set, the queue pair's own Q_Key is used instead
         * @return this builder
         */
        public Builder destination(AddressHandle path, int remoteQpn, int remoteQkey) {
            return destination(new SendDestination.Datagram(path, remoteQpn, remoteQkey, OptionalInt.empty()));
        }

        /**
         * Sets the shared receive queue of the peer; see {@link SendBatch#xrcSrq}.
         *
         * @param number 24 bits
         * @return this builder
         */
        public Builder xrcSrq(int number) {
            return destination(new SendDestination.XrcSrq(number));
        }

        /**
         * Sets {@link SendRequest#destination}.
         *
         * @param destination as the type of the queue pair requires
         * @return this builder
         */
        public Builder destination(SendDestination destination) {
            this.destination = destination;
            return this;
        }

        /** {@return the request, which may be posted repeatedly} */
        public SendRequest build() {
            return new SendRequest(wrId, opcode, flags, sges, immediate, inlineData, operation, destination);
        }
    }
}
