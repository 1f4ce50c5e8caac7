// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.mad;

import io.rdma4j.verbs.values.QpType;
import org.jspecify.annotations.Nullable;

/**
 * Attributes of an agent at its registration; immutable. Corresponds to the arguments of
 * {@code ib_register_mad_agent}.
 *
 * {@snippet :
 * MadAgentSetup setup = MadAgentSetup.DEFAULT
 *         .registration(MadRegistration.of(MadClass.COM_MGT, MadMethod.SEND.code()))
 *         .onSent((send, status) -> count(status))
 *         .onReceived((request, mad) -> {
 *             try (mad) {
 *                 handle(mad.datagram(), mad.from());
 *             }
 *         });
 * }
 *
 * @param qpType {@code qp_type}: GSI, or SMI on ports that have it
 * @param registration the unsolicited datagrams that it receives; null for an agent that only sends requests
 * @param rmppVersion {@code rmpp_version}: 1 if the MAD layer segments and reassembles; 0 if it does not
 * @param sendHandler reports the end of sends; null for an agent that does not send
 * @param receiveHandler receives datagrams; null for an agent that does not receive
 * @param receiveBuffers maximum number of received datagrams that are not returned, including those of incomplete
 *     RMPP messages; the agent loses further ones
 */
public record MadAgentSetup(
        QpType qpType,
        @Nullable MadRegistration registration,
        int rmppVersion,
        @Nullable MadSendHandler sendHandler,
        @Nullable MadReceiveHandler receiveHandler,
        int receiveBuffers) {
    /** Limit of {@link #receiveBuffers} unless the setup has another one: 8 MiB of datagrams. */
    public static final int DEFAULT_RECEIVE_BUFFERS = 32_768;

    /** A GSI agent without handlers and without RMPP. */
    public static final MadAgentSetup DEFAULT =
            new MadAgentSetup(QpType.GSI, null, 0, null, null, DEFAULT_RECEIVE_BUFFERS);

    /**
     * {@return this setup for another queue pair}
     *
     * @param type GSI or SMI
     */
    public MadAgentSetup qpType(QpType type) {
        return new MadAgentSetup(type, registration, rmppVersion, sendHandler, receiveHandler, receiveBuffers);
    }

    /**
     * {@return this setup for an agent that receives unsolicited datagrams}
     *
     * @param selected the datagrams
     */
    public MadAgentSetup registration(MadRegistration selected) {
        return new MadAgentSetup(qpType, selected, rmppVersion, sendHandler, receiveHandler, receiveBuffers);
    }

    /**
     * {@return this setup with another RMPP version}
     *
     * @param version 0 or 1
     */
    public MadAgentSetup rmppVersion(int version) {
        return new MadAgentSetup(qpType, registration, version, sendHandler, receiveHandler, receiveBuffers);
    }

    /**
     * {@return this setup for an agent that sends}
     *
     * @param handler called once for each send
     */
    public MadAgentSetup onSent(MadSendHandler handler) {
        return new MadAgentSetup(qpType, registration, rmppVersion, handler, receiveHandler, receiveBuffers);
    }

    /**
     * {@return this setup for an agent that receives}
     *
     * @param handler called once for each datagram or reassembled message
     */
    public MadAgentSetup onReceived(MadReceiveHandler handler) {
        return new MadAgentSetup(qpType, registration, rmppVersion, sendHandler, handler, receiveBuffers);
    }

    /**
     * {@return this setup with another limit of received datagrams}
     *
     * @param limit at least 1
     */
    public MadAgentSetup receiveBuffers(int limit) {
        return new MadAgentSetup(qpType, registration, rmppVersion, sendHandler, receiveHandler, limit);
    }
}
