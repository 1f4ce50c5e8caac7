// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.sa;

import io.rdma4j.base.Errno;
import io.rdma4j.base.Gid;
import io.rdma4j.base.RdmaException;
import io.rdma4j.mad.gsi.GeneralServices;
import io.rdma4j.wire.mad.MadMethod;
import io.rdma4j.wire.mad.table.MadAttribute;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * Queries the subnet administrator (SA) for one user of a port. Users of a port in the same process share its groups: a
 * group is joined for the first member and left after the last one. Any thread; handlers run on the thread that drives
 * the port.
 *
 * {@snippet :
 * SaClient sa = SaClient.open(services);
 * SaQuery query = sa.path(wanted, 1000, result -> use(result.records().getFirst()));
 * }
 */
public final class SaClient implements AutoCloseable {
    private final PortClient port;
    private final AtomicBoolean closed = new AtomicBoolean();

    private SaClient(PortClient port) {
        this.port = port;
    }

    /**
     * Opens the client of a port. The SA is the one that PortInfo names; it may change. On RoCE paths and groups are
     * local.
     *
     * @param services of the port; closed after the client
     * @return the client; the caller closes it after its registrations
     */
    public static SaClient open(GeneralServices services) {
        return new SaClient(PortClient.acquire(services, null));
    }

    /**
     * Opens a client that queries an SA at a given port, also on RoCE.
     *
     * @param services of the port; closed after the client
     * @param saGid GID of the port whose general services are the SA
     * @return the client; the caller closes it after its registrations
     */
    public static SaClient open(GeneralServices services, Gid saGid) {
        return new SaClient(PortClient.acquire(services, saGid));
    }

    /**
     * Asks for the path record with given components; the answer has the first one that matches. On RoCE it is made of
     * the present attributes of the port. Corresponds to {@code ib_sa_path_rec_get}.
     *
     * @param wanted PATH_RECORD; on RoCE with source and destination GID
     * @param timeoutMs total time, at least 1; eleven tries share it
     * @param handler gets the result once
     * @return the query
     * @throws RdmaException EAGAIN while the port has no SA; EINVAL for another record, a timeout below 1, or on RoCE
     *     for a source that is no GID of the port
     */
    public SaQuery path(SaRecord wanted, int timeoutMs, SaHandler handler) {
        checkOpen();
        if (wanted.attribute() != MadAttribute.PATH_RECORD || timeoutMs < 1) {
            throw new RdmaException(
                    Errno.EINVAL,
                    wanted + " with timeout " + timeoutMs + " ms: must be a PATH_RECORD and at least 1 ms");
        }
        return port.path(wanted, timeoutMs, handler);
    }

    /**
     * Sends any query, for example a Get or GetTable of service records or of groups. Corresponds to
     * {@code ib_sa_mcmember_rec_query}, {@code ib_sa_service_rec_query} and the like.
     *
     * @param method GET, SET, DELETE or GET_TABLE
     * @param record the components; copied
     * @param timeoutMs total time, at least 1; eleven tries share it
     * @param handler gets the result once
     * @return the query
     * @throws RdmaException EAGAIN while the port has no SA, as always on RoCE; EINVAL for a timeout below 1
     */
    public SaQuery query(MadMethod method, SaRecord record, int timeoutMs, SaHandler handler) {
        checkOpen();
        return port.query(method, record, timeoutMs, handler);
    }

    /**
     * Joins a multicast group, or creates it. A later member of the port gets the record of the group without a request
     * if its components agree with the record. Three tries of 3 s. Corresponds to {@code ib_sa_join_multicast}.
     *
     * @param member MC_MEMBER_RECORD with MGID and join state; copied
     * @param handler gets the record of the group, or an error that ends the registration. After a change of the subnet
     *     it gets ENETRESET, and then the result of the new join.
     * @return the membership; the caller closes it to leave the group
     * @throws RdmaException EAGAIN while the port has no SA; EINVAL without MGID or join state
     */
    public SaRegistration join(SaRecord member, SaHandler handler) {
        checkOpen();
        return port.join(member, handler);
    }

    /**
     * Registers a service at the SA. Corresponds to {@code ib_sa_service_rec_query} with the method Set.
     *
     * @param service SERVICE_RECORD; copied. Without a GID it is a service of this port.
     * @param handler gets the result of this registration and of each repetition
     * @return the registration; the caller closes it to delete the record
     * @throws RdmaException EAGAIN while the port has no SA, as always on RoCE; EINVAL for another record
     */
    public SaRegistration register(SaRecord service, SaHandler handler) {
        checkOpen();
        return port.register(service, handler);
    }

    /**
     * Subscribes to the notices of a trap number of all ports. Subscribers of the port share the subscription at the
     * SA. The client answers the reports.
     *
     * @param trapNumber 16 bits, see {@link io.rdma4j.wire.mad.sm.Notice#TRAP_NUMBER}
     * @param handler gets a NOTICE for each report, and an error if the SA rejects the subscription
     * @return the subscription; the caller closes it
     * @throws RdmaException EAGAIN while the port has no SA, as always on RoCE; EINVAL if another agent of the port
     *     receives the reports of the SA
     */
    public SaRegistration subscribe(int trapNumber, SaHandler handler) {
        checkOpen();
        return port.subscribe(trapNumber, handler);
    }

    private void checkOpen() {
        if (closed.get()) {
            throw new RdmaException(Errno.EINVAL, "the SA client is closed");
        }
    }

    /** Ends the use. Queries in progress of the last user end with EINTR. Idempotent. */
    @Override
    public void close() {
        if (closed.compareAndSet(false, true)) {
            port.release();
        }
    }
}
