// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.sa;

import io.rdma4j.base.Deadline;
import io.rdma4j.base.Errno;
import io.rdma4j.base.Gid;
import io.rdma4j.base.RdmaException;
import io.rdma4j.mad.MadPort;
import io.rdma4j.mad.gsi.GeneralServices;
import io.rdma4j.mad.gsi.TimedWork;
import io.rdma4j.verbs.AsyncEvent;
import io.rdma4j.verbs.EventRegistration;
import io.rdma4j.wire.mad.MadMethod;
import io.rdma4j.wire.mad.sa.McMemberRecord;
import io.rdma4j.wire.mad.sa.ServiceRecord;
import io.rdma4j.wire.mad.table.MadAttribute;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The SA client of a port, which all its users in this process share, because they share its groups. Any thread. */
final class PortClient implements SaRequests {
    private static final int GROUP_TIMEOUT_MS = 3000;
    private static final int GROUP_RETRIES = 2;

    /** Clients that are in use now: one for each owner of a queue pair 1. */
    private static final Map<Key, PortClient> OPEN = new HashMap<>();

    private record Key(MadPort mad, @Nullable Gid saGid) {}

    private final Key key;
    private final GeneralServices services;
    private final SaPort port;
    private final LocalRecords local;
    private final SaTransactions transactions;
    private final EventRegistration events;
    private final TimedWork work = this::advance;
    private final Map<Gid, McastGroup> groups = new HashMap<>();
    private final ServiceList registered = new ServiceList(this);
    private final Subscriptions subscriptions;
    /** Calls of handlers and answers of the local SA, for the thread that drives the port. */
    private final Deque<Runnable> calls = new ArrayDeque<>();

    private int users;
    private volatile boolean subnetChanged;

    private PortClient(Key key, GeneralServices services) {
        this.key = key;
        this.services = services;
        this.port = new SaPort(services, key.saGid);
        this.local = new LocalRecords(port);
        this.transactions = new SaTransactions(services.mad(), port);
        this.subscriptions = new Subscriptions(services.mad(), this, this);
        this.events = services.context().registerEventHandler(this::event);
        services.add(work);
    }

    static PortClient acquire(GeneralServices services, @Nullable Gid saGid) {
        synchronized (OPEN) {
            PortClient client =
                    OPEN.computeIfAbsent(new Key(services.mad(), saGid), key -> new PortClient(key, services));
            client.users++;
            return client;
        }
    }

    void release() {
        synchronized (OPEN) {
            users--;
            if (users > 0) {
                return;
            }
            OPEN.remove(key);
        }
        services.remove(work);
        events.close();
        subscriptions.close();
        transactions.close();
    }

    private void event(AsyncEvent event) {
        if (event.port() != services.port()) {
            return;
        }
        switch (event.type()) {
            case CLIENT_REREGISTER, SM_CHANGE, LID_CHANGE -> {
                subnetChanged = true;
                services.wakeup();
            }
            default -> {}
        }
    }

    private long advance(long nowNs) {
        if (subnetChanged) {
            subnetChanged = false;
            synchronized (this) {
                List.copyOf(groups.values()).forEach(McastGroup::lost);
                registered.repeat();
                subscriptions.repeat();
            }
        }
        for (Runnable call = nextCall(); call != null; call = nextCall()) {
            call.run();
        }
        return Deadline.NEVER;
    }

    private synchronized @Nullable Runnable nextCall() {
        return calls.poll();
    }

    private synchronized void call(Runnable call) {
        calls.add(call);
        services.wakeup();
    }

    @Override
    public void report(SaHandler handler, SaResult result) {
        call(() -> handler.completed(result));
    }

    @Override
    public void request(MadMethod method, SaRecord record, SaHandler answer) {
        SaHandler guarded = result -> {
            synchronized (this) {
                answer.completed(result);
                groups.values().removeIf(McastGroup::isUnused);
            }
        };
        if (port.isLocal() && record.attribute() == MadAttribute.MC_MEMBER_RECORD) {
            SaRecord group = method == MadMethod.SET ? local.group(record) : record;
            report(guarded, SaResult.of(group));
        } else {
            transactions.send(method, record, GROUP_TIMEOUT_MS, GROUP_RETRIES, guarded);
        }
    }

    SaQuery path(SaRecord wanted, int timeoutMs, SaHandler handler) {
        if (!port.isLocal()) {
            return query(MadMethod.GET, wanted, timeoutMs, handler);
        }
        SaResult result = SaResult.of(local.path(wanted));
        LocalQuery query = new LocalQuery(handler);
        call(() -> query.end(result));
        return new SaQuery(0, () -> call(() -> query.end(SaResult.of(Errno.EINTR))));
    }

    /** A query whose answer is known already. */
    private static final class LocalQuery {
        private final SaHandler handler;
        private boolean ended;

        LocalQuery(SaHandler handler) {
            this.handler = handler;
        }

        void end(SaResult result) {
            if (!ended) {
                ended = true;
                handler.completed(result);
            }
        }
    }

    SaQuery query(MadMethod method, SaRecord record, int timeoutMs, SaHandler handler) {
        if (timeoutMs < 1) {
            throw new RdmaException(Errno.EINVAL, "a timeout of " + timeoutMs + " ms is less than 1 ms");
        }
        return transactions.query(method, record, timeoutMs, handler);
    }

    synchronized SaRegistration join(SaRecord record, SaHandler handler) {
        if (record.attribute() != MadAttribute.MC_MEMBER_RECORD
                || !record.has(McMemberRecord.MGID)
                || record.get(McMemberRecord.JOIN_STATE) == 0) {
            throw new RdmaException(Errno.EINVAL, record + ": a join needs MGID and join state of an McMemberRecord");
        }
        if (!port.isLocal() && port.sa() == null) {
            throw new RdmaException(Errno.EAGAIN, "the port has no subnet administrator");
        }
        SaRecord wanted = record.copy();
        if (!wanted.has(McMemberRecord.PORT_GID)) {
            wanted.set(McMemberRecord.PORT_GID, port.gid());
        }
        Gid mgid = wanted.gid(McMemberRecord.MGID);
        McastGroup group =
                groups.computeIfAbsent(mgid, _ -> new McastGroup(mgid, wanted.gid(McMemberRecord.PORT_GID), this));
        McastMember member = new McastMember(wanted, handler);
        group.join(member);
        return new SaRegistration(() -> leave(group, member));
    }

    private synchronized void leave(McastGroup group, McastMember member) {
        if (!member.closed) {
            group.leave(member);
            groups.values().removeIf(McastGroup::isUnused);
        }
    }

    synchronized SaRegistration register(SaRecord service, SaHandler handler) {
        if (service.attribute() != MadAttribute.SERVICE_RECORD) {
            throw new RdmaException(Errno.EINVAL, service + " is no ServiceRecord");
        }
        SaRecord wanted = service.copy();
        if (!wanted.has(ServiceRecord.SERVICE_GID)) {
            wanted.set(ServiceRecord.SERVICE_GID, port.gid());
        }
        ServiceList.Service added = registered.add(wanted, handler);
        return new SaRegistration(() -> remove(added));
    }

    synchronized SaRegistration subscribe(int trapNumber, SaHandler handler) {
        Subscriptions.Subscriber subscriber = subscriptions.add(trapNumber, handler);
        return new SaRegistration(() -> unsubscribe(subscriber));
    }

    private synchronized void unsubscribe(Subscriptions.Subscriber subscriber) {
        subscriptions.remove(subscriber);
    }

    private synchronized void remove(ServiceList.Service service) {
        registered.remove(service);
    }
}
