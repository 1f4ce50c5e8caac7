// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.verbs;

import io.rdma4j.verbs.core.Lifecycle;
import io.rdma4j.verbs.spi.QpSetup;
import io.rdma4j.verbs.values.QpCapabilities;
import io.rdma4j.verbs.values.QpCreateFlag;
import io.rdma4j.verbs.values.QpType;
import io.rdma4j.verbs.wr.SignalType;
import io.rdma4j.verbs.wr.WrOpcode;
import java.lang.foreign.SegmentAllocator;
import java.util.Collections;
import java.util.EnumSet;
import java.util.Set;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Attributes for the creation of a queue pair; immutable. Corresponds to {@code struct ibv_qp_init_attr_ex}.
 *
 * @param type {@code qp_type}
 * @param sendCq {@code send_cq}: completion queue of sends; null for XRC_TGT, and with a table if the queue pair only
 *     receives
 * @param receiveCq {@code recv_cq}: completion queue of receives; may be the same queue; null for XRC_INI and XRC_TGT,
 *     and with a table
 * @param srq {@code srq}: shared receive queue in place of an own receive queue, or null
 * @param xrcDomain {@code xrcd}: XRC_TGT only
 * @param rwqIndirectionTable {@code rwq_ind_tbl}: receive work queues in place of an own receive queue, or null;
 *     excludes a receive completion queue, a shared receive queue and receive sizes other than 0
 * @param capabilities {@code cap}: requested sizes; {@link QueuePair#initAttributes} has the actual sizes
 * @param signalType {@code sq_sig_all}
 * @param createFlags {@code create_flags}
 * @param sendOperations {@code send_ops_flags}: the operations that the application will post; others are rejected.
 *     Empty: all that the type and the device support.
 * @param port {@code port_num}: SMI and GSI queue pairs only, else 0
 * @param etherType EtherType of the frames that a RAW_ETHERTYPE queue pair sends and receives, 0x0600..0xFFFF; else 0
 * @param queueMemory allocates the send queue and then the receive queue, so that another process can share them; null
 *     for memory of the device
 * @param userContext {@code qp_context}: an object of the application that the library does not use
 * @param eventHandler receives the queue pair's asynchronous events; called on the device's thread: it must neither
 *     block nor change objects of the device
 */
public record QpInitAttributes(
        QpType type,
        @Nullable CompletionQueue sendCq,
        @Nullable CompletionQueue receiveCq,
        @Nullable SharedReceiveQueue srq,
        @Nullable XrcDomain xrcDomain,
        @Nullable RwqIndirectionTable rwqIndirectionTable,
        QpCapabilities capabilities,
        SignalType signalType,
        Set<QpCreateFlag> createFlags,
        Set<WrOpcode> sendOperations,
        int port,
        int etherType,
        @Nullable SegmentAllocator queueMemory,
        @Nullable Object userContext,
        @Nullable Consumer<AsyncEvent> eventHandler)
        implements QpSetup {

    /** Copies the sets. */
    public QpInitAttributes {
        createFlags = Set.copyOf(createFlags);
        sendOperations = Set.copyOf(sendOperations);
    }

    /**
     * {@return a builder of a reliable connection with {@link SignalType#REQ_WR} and queues of one entry}
     *
     * @param sendCq completion queue of sends
     * @param receiveCq completion queue of receives
     */
    public static Builder builder(@Nullable CompletionQueue sendCq, @Nullable CompletionQueue receiveCq) {
        return new Builder(sendCq, receiveCq);
    }

    /**
     * {@return a builder of a reliable connection with one completion queue for sends and receives}
     *
     * @param cq completion queue of sends and receives
     */
    public static Builder builder(CompletionQueue cq) {
        return new Builder(cq, cq);
    }

    /**
     * {@return a builder of an XRC target, which has no queues of its own}
     *
     * @param domain of the shared receive queues that it delivers to
     */
    public static Builder xrcTarget(XrcDomain domain) {
        return new Builder(null, null).type(QpType.XRC_TGT).xrcDomain(domain);
    }

    /** The objects that cannot be closed while the queue pair is open. */
    @Nullable
    Lifecycle[] used() {
        return new @Nullable Lifecycle[] {
            sendCq == null ? null : sendCq.life(),
            receiveCq == null ? null : receiveCq.life(),
            srq == null ? null : srq.life(),
            xrcDomain == null ? null : xrcDomain.life(),
            rwqIndirectionTable == null ? null : rwqIndirectionTable.life()
        };
    }

    @Override
    public boolean hasOwnReceiveQueue() {
        return type.hasReceiveQueue() && srq == null && rwqIndirectionTable == null;
    }

    /** False for XRC targets, and for queue pairs with a table that only receive. */
    boolean hasSendQueue() {
        return type != QpType.XRC_TGT && (rwqIndirectionTable == null || capabilities.maxSendWr() > 0);
    }

    /** Removes the attributes that the type does not have. C programs may set them, and they are ignored. */
    QpInitAttributes relevant() {
        QpCapabilities sizes = capabilities;
        if (srq != null || !type.hasReceiveQueue()) {
            sizes = new QpCapabilities(sizes.maxSendWr(), 0, sizes.maxSendSge(), 0, sizes.maxInlineData());
        }
        if (!hasSendQueue()) {
            sizes = new QpCapabilities(0, sizes.maxReceiveWr(), 0, sizes.maxReceiveSge(), 0);
        }
        return toBuilder(hasSendQueue() ? sendCq : null, type.hasReceiveQueue() ? receiveCq : null)
                .capabilities(sizes)
                .build();
    }

    QpInitAttributes withCapabilities(QpCapabilities actual) {
        return toBuilder(sendCq, receiveCq).capabilities(actual).build();
    }

    /**
     * {@return a builder with these attributes and other completion queues}
     *
     * @param sends completion queue of sends
     * @param receives completion queue of receives
     */
    public Builder toBuilder(@Nullable CompletionQueue sends, @Nullable CompletionQueue receives) {
        return new Builder(sends, receives)
                .type(type)
                .srq(srq)
                .xrcDomain(xrcDomain)
                .rwqIndirectionTable(rwqIndirectionTable)
                .capabilities(capabilities)
                .signalType(signalType)
                .createFlags(createFlags)
                .sendOperations(sendOperations)
                .port(port)
                .etherType(etherType)
                .queueMemory(queueMemory)
                .userContext(userContext)
                .eventHandler(eventHandler);
    }

    /** Collects attributes; each setter has the name of the component that it sets. One thread. */
    public static final class Builder {
        private final @Nullable CompletionQueue sendCq;
        private final @Nullable CompletionQueue receiveCq;
        private final Set<QpCreateFlag> createFlags = EnumSet.noneOf(QpCreateFlag.class);
        private final Set<WrOpcode> sendOperations = EnumSet.noneOf(WrOpcode.class);
        private QpType type = QpType.RC;
        private QpCapabilities capabilities = QpCapabilities.of(1, 1);
        private SignalType signalType = SignalType.REQ_WR;
        private int port;
        private int etherType;
        private @Nullable SegmentAllocator queueMemory;
        private @Nullable SharedReceiveQueue srq;
        private @Nullable XrcDomain xrcDomain;
        private @Nullable RwqIndirectionTable rwqIndirectionTable;
        private @Nullable Object userContext;
        private @Nullable Consumer<AsyncEvent> eventHandler;

        private Builder(@Nullable CompletionQueue sendCq, @Nullable CompletionQueue receiveCq) {
            this.sendCq = sendCq;
            this.receiveCq = receiveCq;
        }

        /**
         * Sets {@link QpInitAttributes#type}.
         *
         * @param type {@code qp_type}
         * @return this builder
         */
        public Builder type(QpType type) {
            this.type = type;
            return this;
        }

        /**
         * Sets {@link QpInitAttributes#srq}.
         *
         * @param srq {@code srq}: shared receive queue in place of an own receive queue, or null
         * @return this builder
         */
        public Builder srq(@Nullable SharedReceiveQueue srq) {
            this.srq = srq;
            return this;
        }

        /**
         * Sets {@link QpInitAttributes#xrcDomain}.
         *
         * @param xrcDomain {@code xrcd}: XRC_TGT only
         * @return this builder
         */
        public Builder xrcDomain(@Nullable XrcDomain xrcDomain) {
            this.xrcDomain = xrcDomain;
            return this;
        }

        /**
         * Sets {@link QpInitAttributes#rwqIndirectionTable}.
         *
         * @param rwqIndirectionTable {@code rwq_ind_tbl}: receive work queues in place of an own receive queue, or
         *     null; excludes a receive completion queue, a shared receive queue and receive sizes other than 0
         * @return this builder
         */
        public Builder rwqIndirectionTable(@Nullable RwqIndirectionTable rwqIndirectionTable) {
            this.rwqIndirectionTable = rwqIndirectionTable;
            return this;
        }

        /**
         * Sets {@link QpInitAttributes#capabilities}.
         *
         * @param capabilities {@code cap}: requested sizes; {@link QueuePair#initAttributes} has the actual sizes
         * @return this builder
         */
        public Builder capabilities(QpCapabilities capabilities) {
            this.capabilities = capabilities;
            return this;
        }

        /**
         * Sets {@link QpInitAttributes#signalType}.
         *
         * @param signalType {@code sq_sig_all}
         * @return this builder
         */
        public Builder signalType(SignalType signalType) {
            this.signalType = signalType;
            return this;
        }

        /**
         * Adds to {@link QpInitAttributes#createFlags}.
         *
         * @param flags flags to add
         * @return this builder
         */
        public Builder createFlags(QpCreateFlag... flags) {
            Collections.addAll(createFlags, flags);
            return this;
        }

        private Builder createFlags(Set<QpCreateFlag> flags) {
            createFlags.addAll(flags);
            return this;
        }

        /**
         * Adds to {@link QpInitAttributes#sendOperations}.
         *
         * @param operations operations to add
         * @return this builder
         */
        public Builder sendOperations(WrOpcode... operations) {
            Collections.addAll(sendOperations, operations);
            return this;
        }

        private Builder sendOperations(Set<WrOpcode> operations) {
            sendOperations.addAll(operations);
            return this;
        }

        /**
         * Sets {@link QpInitAttributes#port}.
         *
         * @param port {@code port_num}: SMI and GSI queue pairs only, else 0
         * @return this builder
         */
        public Builder port(int port) {
            this.port = port;
            return this;
        }

        /**
         * Sets {@link QpInitAttributes#etherType}.
         *
         * @param etherType EtherType of the frames that a RAW_ETHERTYPE queue pair sends and receives, 0x0600..0xFFFF;
         *     else 0
         * @return this builder
         */
        public Builder etherType(int etherType) {
            this.etherType = etherType;
            return this;
        }

        /**
         * Sets {@link QpInitAttributes#queueMemory}.
         *
         * @param queueMemory allocates the send queue and then the receive queue, so that another process can share
         *     them; null for memory of the device
         * @return this builder
         */
        public Builder queueMemory(@Nullable SegmentAllocator queueMemory) {
            this.queueMemory = queueMemory;
            return this;
        }

        /**
         * Sets {@link QpInitAttributes#userContext}.
         *
         * @param userContext {@code qp_context}: an object of the application that the library does not use
         * @return this builder
         */
        public Builder userContext(@Nullable Object userContext) {
            this.userContext = userContext;
            return this;
        }

        /**
         * Sets {@link QpInitAttributes#eventHandler}.
         *
         * @param eventHandler receives the queue pair's asynchronous events; called on the device's thread: it must
         *     neither block nor change objects of the device
         * @return this builder
         */
        public Builder eventHandler(@Nullable Consumer<AsyncEvent> eventHandler) {
            this.eventHandler = eventHandler;
            return this;
        }

        /** {@return the attributes collected so far; the builder remains usable} */
        public QpInitAttributes build() {
            return new QpInitAttributes(
                    type,
                    sendCq,
                    receiveCq,
                    srq,
                    xrcDomain,
                    rwqIndirectionTable,
                    capabilities,
                    signalType,
                    createFlags,
                    sendOperations,
                    port,
                    etherType,
                    queueMemory,
                    userContext,
                    eventHandler);
        }
    }
}
