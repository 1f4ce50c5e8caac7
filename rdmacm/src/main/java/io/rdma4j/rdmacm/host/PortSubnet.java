// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.rdmacm.host;

import io.rdma4j.base.Errno;
import io.rdma4j.base.Gid;
import io.rdma4j.base.Mtu;
import io.rdma4j.cm.CmPath;
import io.rdma4j.cm.gsi.CmServices;
import io.rdma4j.mad.gsi.GeneralServices;
import io.rdma4j.rdmacm.RdmaCm;
import io.rdma4j.rdmacm.SubnetServices;
import io.rdma4j.sa.SaClient;
import io.rdma4j.sa.SaHandler;
import io.rdma4j.sa.SaRecord;
import io.rdma4j.sa.SaResult;
import io.rdma4j.sa.SubnetAccess;
import io.rdma4j.verbs.Context;
import io.rdma4j.verbs.values.AddressVector;
import io.rdma4j.verbs.values.GlobalRoute;
import io.rdma4j.verbs.values.Rate;
import io.rdma4j.wire.mad.MadMethod;
import io.rdma4j.wire.mad.sa.PathRecord;
import io.rdma4j.wire.mad.table.MadAttribute;
import org.jspecify.annotations.Nullable;

/** Asks the subnet administrator for paths and groups of an InfiniBand port ({@code cma_query_ib_route}). */
final class PortSubnet implements SubnetServices, AutoCloseable {
    private final Context context;
    private final int port;
    private final SubnetAddresses addresses;
    private final CmServices services;
    private final RdmaCm manager;
    private final boolean isThreaded;

    // Null before the first query.
    private @Nullable GeneralServices general;
    private @Nullable SaClient client;

    /** @param isThreaded false if the caller drives the device */
    PortSubnet(int port, SubnetAddresses addresses, CmServices services, RdmaCm manager, boolean isThreaded) {
        this.context = services.context();
        this.port = port;
        this.addresses = addresses;
        this.services = services;
        this.manager = manager;
        this.isThreaded = isThreaded;
    }

    private SaClient client() {
        SaClient known = client;
        if (known == null) {
            GeneralServices opened = GeneralServices.open(context, port, isThreaded);
            general = opened;
            known = SaClient.open(opened);
            client = known;
        }
        return known;
    }

    @Override
    public void find(Query query, int timeoutMs, Handler handler) {
        SaRecord wanted = SaRecord.of(MadAttribute.PATH_RECORD)
                .set(PathRecord.DGID, query.destination())
                .set(PathRecord.SGID, addresses.gid(query.source()))
                .set(PathRecord.PKEY, addresses.pkey(query.source()))
                .set(PathRecord.NUMB_PATH, 1)
                .set(PathRecord.REVERSIBLE, 1)
                .set(PathRecord.SERVICE_ID, query.serviceId())
                .set(query.source().isIpv4() ? PathRecord.QOS_CLASS : PathRecord.TRAFFIC_CLASS, query.typeOfService());
        SaHandler done = result -> locked(() -> ended(result, handler));
        SubnetAccess served = context.extension(SubnetAccess.class);
        if (served != null) {
            served.query(port, wanted, timeoutMs, done);
        } else {
            client().path(wanted, timeoutMs, done);
        }
    }

    /** Asks for the record of a group. The handler is called with the lock. */
    void findGroup(SaRecord wanted, int timeoutMs, SaHandler handler) {
        SaHandler done = result -> locked(() -> handler.completed(result));
        SubnetAccess served = context.extension(SubnetAccess.class);
        if (served != null) {
            served.query(port, wanted, timeoutMs, done);
        } else {
            client().query(MadMethod.GET, wanted, timeoutMs, done);
        }
    }

    /** Joins a group; returns what leaves it. The handler is called with the lock. */
    Runnable joinGroup(SaRecord member, SaHandler handler) {
        SaHandler done = result -> locked(() -> handler.completed(result));
        SubnetAccess served = context.extension(SubnetAccess.class);
        return served != null ? served.join(port, member, done) : client().join(member, done)::close;
    }

    private void ended(SaResult result, Handler handler) {
        CmPath path = result.isSuccess() && !result.records().isEmpty()
                ? path(result.records().getFirst())
                : null;
        handler.found(path, path != null ? null : result.error() != null ? result.error() : Errno.EINVAL);
    }

    /** Takes the result of a query; called without the lock. */
    private void locked(Runnable action) {
        manager.lock().lock();
        try {
            action.run();
        } finally {
            manager.lock().unlock();
        }
        manager.completeFutures();
    }

    int port() {
        return port;
    }

    /** Returns the index of a GID of the port, or -1. */
    int gidIndex(Gid gid) {
        return context.findGid(gid)
                .filter(entry -> entry.port() == port)
                .map(entry -> entry.index())
                .orElse(-1);
    }

    @Override
    public Membership join(Group group, MemberHandler handler) {
        GroupJoin join = new GroupJoin(this, group, addresses.gid(group.source()), handler);
        join.begin();
        return join;
    }

    /** The path of a record; null if the port has lost the GID or the P_Key of it, or its MTU is none. */
    private @Nullable CmPath path(SaRecord record) {
        Gid source = record.gid(PathRecord.SGID);
        int pkey = (int) record.get(PathRecord.PKEY);
        int pkeyIndex = services.pkeyIndex(port, pkey);
        int gidIndex = gidIndex(source);
        int mtu = (int) record.get(PathRecord.MTU);
        if (gidIndex < 0 || pkeyIndex < 0 || mtu < Mtu.MTU_256.code() || mtu > Mtu.MTU_4096.code()) {
            return null;
        }
        GlobalRoute route = new GlobalRoute(
                record.gid(PathRecord.DGID),
                (int) record.get(PathRecord.FLOW_LABEL),
                gidIndex,
                (int) record.get(PathRecord.HOP_LIMIT),
                (int) record.get(PathRecord.TRAFFIC_CLASS));
        int lid = (int) record.get(PathRecord.SLID);
        int pathBits = lid & (1 << context.queryPort(port).lmc()) - 1;
        AddressVector vector = new AddressVector(
                route,
                (int) record.get(PathRecord.DLID),
                (int) record.get(PathRecord.SL),
                pathBits,
                Rate.PORT_CURRENT,
                port);
        return new CmPath(
                vector, source, lid, pkey, pkeyIndex, Mtu.ofCode(mtu), (int) record.get(PathRecord.PACKET_LIFE_TIME));
    }

    /** Queries that have not ended get EINTR. Without the lock. */
    @Override
    public void close() {
        if (client != null) {
            client.close();
        }
        if (general != null) {
            general.close();
        }
    }
}
