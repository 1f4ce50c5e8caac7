// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.sa;

import io.rdma4j.base.Errno;
import io.rdma4j.base.RdmaException;
import io.rdma4j.mad.MadAddress;
import io.rdma4j.mad.MadAgent;
import io.rdma4j.mad.MadAgentSetup;
import io.rdma4j.mad.MadPort;
import io.rdma4j.mad.MadSend;
import io.rdma4j.mad.ReceivedMad;
import io.rdma4j.verbs.wr.WcStatus;
import io.rdma4j.wire.mad.Mad;
import io.rdma4j.wire.mad.MadClass;
import io.rdma4j.wire.mad.MadMethod;
import io.rdma4j.wire.mad.MadStatus;
import io.rdma4j.wire.mad.Rmpp;
import io.rdma4j.wire.mad.sa.SaHeader;
import io.rdma4j.wire.mad.table.MadAttribute;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** Requests to the SA, and their answers. Any thread. */
final class SaTransactions implements AutoCloseable {
    /** Tries over which the timeout of a query is shared out. */
    private static final int TRIES = 11;

    private final SaPort port;
    private final MadAgent agent;
    private int ids;

    SaTransactions(MadPort mad, SaPort port) {
        this.port = port;
        this.agent = mad.register(
                MadAgentSetup.DEFAULT.rmppVersion(1).onSent(this::sent).onReceived(this::received));
    }

    /** A query in progress. */
    private static final class Query {
        final int id;
        final MadAttribute attribute;
        final SaHandler handler;

        @Nullable
        SaResult answer;

        Query(int id, MadAttribute attribute, SaHandler handler) {
            this.id = id;
            this.attribute = attribute;
            this.handler = handler;
        }
    }

    /**
     * Sends a query whose timeout is shared out over its tries.
     *
     * @throws RdmaException EAGAIN while the port has no SA
     */
    SaQuery query(MadMethod method, SaRecord record, int timeoutMs, SaHandler handler) {
        int eachMs = Math.ceilDiv(timeoutMs, TRIES);
        return send(method, record, eachMs, Math.ceilDiv(timeoutMs, eachMs) - 1, handler);
    }

    /** Sends a query. */
    SaQuery send(MadMethod method, SaRecord record, int timeoutMs, int retries, SaHandler handler) {
        MadAddress to = port.sa();
        if (to == null) {
            throw new RdmaException(Errno.EAGAIN, "the port has no subnet administrator");
        }
        Query query = new Query(nextId(), record.attribute(), handler);
        MadSend send =
                MadSend.request(to, request(method, record), timeoutMs, retries).withUserContext(query);
        agent.send(send);
        return new SaQuery(query.id, () -> cancel(send));
    }

    private synchronized int nextId() {
        ids = ids == Integer.MAX_VALUE ? 1 : ids + 1;
        return ids;
    }

    private void cancel(MadSend send) {
        try {
            agent.cancel(send);
        } catch (RdmaException e) {
            // It has ended, or the client is closed.
        }
    }

    private MemorySegment request(MadMethod method, SaRecord record) {
        MemorySegment mad = MemorySegment.ofArray(new byte[Mad.BYTES]);
        int attributeId = record.attribute().attributeId();
        Mad.write(mad, 0, MadClass.SUBN_ADM, method.code(), attributeId, agent.nextTransactionId());
        SaHeader.COMPONENT_MASK.put(mad, SaHeader.OFFSET, record.componentMask());
        MemorySegment bytes = record.memory();
        MemorySegment.copy(bytes, 0, mad, SaHeader.DATA, bytes.byteSize());
        return mad;
    }

    private void received(@Nullable MadSend request, ReceivedMad mad) {
        try (mad) {
            Query query = (Query) Objects.requireNonNull(request).userContext();
            int status = Mad.STATUS.getInt(mad.datagram(), 0);
            Objects.requireNonNull(query).answer = status == MadStatus.SUCCESS
                    ? new SaResult(null, 0, records(query.attribute, mad))
                    : new SaResult(Errno.EINVAL, status, List.of());
        }
    }

    private void sent(MadSend send, WcStatus status) {
        Query query = (Query) Objects.requireNonNull(send.userContext());
        SaResult answer = query.answer;
        query.handler.completed(answer != null ? answer : SaResult.of(error(status)));
    }

    private static Errno error(WcStatus status) {
        return switch (status) {
            case RESP_TIMEOUT_ERR -> Errno.ETIMEDOUT;
            case WR_FLUSH_ERR -> Errno.EINTR;
            default -> Errno.EIO;
        };
    }

    /** The records of an answer: one, or those of a table. */
    private static List<SaRecord> records(MadAttribute attribute, ReceivedMad mad) {
        MemorySegment message = mad.coalesce();
        int recordBytes = attribute.layout().bytes();
        int strideBytes = SaHeader.ATTRIBUTE_OFFSET.getInt(message, SaHeader.OFFSET) * Long.BYTES;
        boolean isTable = Mad.METHOD.getInt(message, 0) != MadMethod.GET.responseCode()
                && Mad.METHOD.getInt(message, 0) != MadMethod.DELETE.responseCode();
        if (!isTable || !Rmpp.isActive(message, Rmpp.OFFSET)) {
            // An empty table in one datagram has the attribute offset 0.
            return isTable && strideBytes == 0 ? List.of() : List.of(SaRecord.read(attribute, message, SaHeader.DATA));
        }
        List<SaRecord> records = new ArrayList<>();
        if (strideBytes >= recordBytes) {
            for (long at = SaHeader.DATA; at + recordBytes <= message.byteSize(); at += strideBytes) {
                records.add(SaRecord.read(attribute, message, at));
            }
        }
        return records;
    }

    @Override
    public void close() {
        agent.close();
    }
}
