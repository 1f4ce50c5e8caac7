package io.rdma4j.verbs;

import io.rdma4j.base.Errno;
import io.rdma4j.base.RdmaException;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * A request for a send queue. Answers to {@code struct ibv_send_wr}; immutable, may be posted many times.
 *
 * <pre>{@code
 * qp.postSend(SendRequest.send().wrId(7).signaled().sge(mr.sge(0, 4096)).build());
 * }</pre>
 *
 * @param wrId {@code wr_id}: the number that the completion carries
 * @param opcode {@code opcode}
 * @param flags {@code send_flags}; INLINE exactly if there are inline data
 * @param sges {@code sg_list}: the message's pieces; none is an empty message
 * @param immediate {@code imm_data}: 32 bits that arrive with the message, valid with SEND_WITH_IMM
 * @param inlineData the message itself, copied while posting; null without INLINE
 */
public record SendRequest(
        long wrId,
        WrOpcode opcode,
        Set<SendFlag> flags,
        List<Sge> sges,
        int immediate,
        @Nullable MemorySegment inlineData)
        implements WorkRequest {

    /**
     * Checks that the parts agree.
     *
     * @throws RdmaException EOPNOTSUPP for operations and flags that queue pairs here do not have; EINVAL if flag INLINE and
     *     the data disagree
     */
    public SendRequest {
        flags = Set.copyOf(flags);
        sges = List.copyOf(sges);
        if (opcode != WrOpcode.SEND && opcode != WrOpcode.SEND_WITH_IMM) {
            throw new RdmaException(Errno.EOPNOTSUPP, "work requests " + opcode + " are not supported");
        }
        if (flags.contains(SendFlag.IP_CSUM)) {
            throw new RdmaException(Errno.EOPNOTSUPP, "IP_CSUM is not supported");
        }
        if (flags.contains(SendFlag.INLINE) != (inlineData != null)) {
            throw new RdmaException(Errno.EINVAL, "flag INLINE and inline data go together");
        }
    }

    /** A SEND. */
    public static Builder send() {
        return new Builder(WrOpcode.SEND, 0);
    }

    /** A SEND with immediate data. */
    public static Builder sendWithImmediate(int immediate) {
        return new Builder(WrOpcode.SEND_WITH_IMM, immediate);
    }

    /** Writes the request into an open batch. */
    void addTo(SendBatch batch) {
        batch.wrId(wrId);
        if (flags.contains(SendFlag.SIGNALED)) {
            batch.signaled();
        }
        if (flags.contains(SendFlag.SOLICITED)) {
            batch.solicited();
        }
        if (flags.contains(SendFlag.FENCE)) {
            batch.fenced();
        }
        if (opcode == WrOpcode.SEND_WITH_IMM) {
            batch.sendImm(immediate);
        } else {
            batch.send();
        }
        for (int i = 0; i < sges.size(); i++) { // an iterator would be garbage for each request
            Sge sge = sges.get(i);
            batch.sge(sge.lkey(), sge.address(), sge.length());
        }
        if (inlineData != null) {
            batch.inline(inlineData);
        }
    }

    /** Collects a request; each setter has the name of the component that it sets. One thread. */
    public static final class Builder {
        private final WrOpcode opcode;
        private final int immediate;
        private final Set<SendFlag> flags = EnumSet.noneOf(SendFlag.class);
        private final List<Sge> sges = new ArrayList<>();
        private long wrId;
        private @Nullable MemorySegment inlineData;

        private Builder(WrOpcode opcode, int immediate) {
            this.opcode = opcode;
            this.immediate = immediate;
        }

        public Builder wrId(long wrId) {
            this.wrId = wrId;
            return this;
        }

        /** Adds a flag. */
        public Builder flag(SendFlag flag) {
            flags.add(flag);
            return this;
        }

        /** Adds {@link SendFlag#SIGNALED}. */
        public Builder signaled() {
            return flag(SendFlag.SIGNALED);
        }

        /** Adds {@link SendFlag#SOLICITED}. */
        public Builder solicited() {
            return flag(SendFlag.SOLICITED);
        }

        /** Adds a piece of the message. */
        public Builder sge(Sge sge) {
            sges.add(sge);
            return this;
        }

        /** The message itself; adds {@link SendFlag#INLINE}. Must stay alive and unchanged until the request is posted. */
        public Builder inlineData(MemorySegment data) {
            inlineData = data;
            return flag(SendFlag.INLINE);
        }

        public SendRequest build() {
            return new SendRequest(wrId, opcode, flags, sges, immediate, inlineData);
        }
    }
}
