package io.rdma4j.verbs;

import io.rdma4j.base.Errno;
import io.rdma4j.base.RdmaException;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * How a queue pair is to be made. Answers to {@code struct ibv_qp_init_attr}; immutable.
 *
 * @param type {@code qp_type}
 * @param sendCq {@code send_cq}: where sends complete
 * @param receiveCq {@code recv_cq}: where receives complete; may be the same queue
 * @param capabilities {@code cap}: sizes asked for; {@link QueuePair#initAttributes} has what they became
 * @param signalType {@code sq_sig_all}
 * @param port {@code port_num}: SMI and GSI queue pairs only, else 0
 * @param userContext {@code qp_context}: the program's own, never looked at
 * @param eventHandler gets the queue pair's asynchronous events; called on the device's thread: it must
 *     neither block nor change objects of the device
 */
public record QpInitAttributes(
        QpType type,
        CompletionQueue sendCq,
        CompletionQueue receiveCq,
        QpCapabilities capabilities,
        SignalType signalType,
        int port,
        @Nullable Object userContext,
        @Nullable Consumer<AsyncEvent> eventHandler) {

    /**
     * Checks that there are completion queues.
     *
     * @throws RdmaException EINVAL if one is null
     */
    public QpInitAttributes {
        if (sendCq == null || receiveCq == null) {
            throw new RdmaException(
                    Errno.EINVAL, "a queue pair needs a completion queue for sends and one for receives");
        }
    }

    /** A reliable connection whose sends signal on request only, with queues of one entry. */
    public static Builder builder(CompletionQueue sendCq, CompletionQueue receiveCq) {
        return new Builder(sendCq, receiveCq);
    }

    /** One completion queue for both directions. */
    public static Builder builder(CompletionQueue cq) {
        return new Builder(cq, cq);
    }

    QpInitAttributes withCapabilities(QpCapabilities actual) {
        return new QpInitAttributes(type, sendCq, receiveCq, actual, signalType, port, userContext, eventHandler);
    }

    /** Collects attributes; each setter has the name of the component that it sets. One thread. */
    public static final class Builder {
        private final CompletionQueue sendCq;
        private final CompletionQueue receiveCq;
        private QpType type = QpType.RC;
        private QpCapabilities capabilities = QpCapabilities.of(1, 1);
        private SignalType signalType = SignalType.REQ_WR;
        private int port;
        private @Nullable Object userContext;
        private @Nullable Consumer<AsyncEvent> eventHandler;

        private Builder(CompletionQueue sendCq, CompletionQueue receiveCq) {
            this.sendCq = sendCq;
            this.receiveCq = receiveCq;
        }

        public Builder type(QpType type) {
            this.type = type;
            return this;
        }

        public Builder capabilities(QpCapabilities capabilities) {
            this.capabilities = capabilities;
            return this;
        }

        public Builder signalType(SignalType signalType) {
            this.signalType = signalType;
            return this;
        }

        public Builder port(int port) {
            this.port = port;
            return this;
        }

        public Builder userContext(@Nullable Object userContext) {
            this.userContext = userContext;
            return this;
        }

        public Builder eventHandler(@Nullable Consumer<AsyncEvent> eventHandler) {
            this.eventHandler = eventHandler;
            return this;
        }

        public QpInitAttributes build() {
            return new QpInitAttributes(
                    type, sendCq, receiveCq, capabilities, signalType, port, userContext, eventHandler);
        }
    }
}
