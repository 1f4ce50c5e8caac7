// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.mad;

import io.rdma4j.base.Gid;
import io.rdma4j.verbs.values.AddressVector;
import io.rdma4j.verbs.values.GlobalRoute;
import io.rdma4j.wire.mad.ClassPortInfo;
import io.rdma4j.wire.mad.MadStatus;
import java.lang.foreign.MemorySegment;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Where the general services of other ports have redirected a class to (IBA 13.5.2). Guarded by the port. */
final class RedirectTable {
    private static final int MAX_ENTRIES = 1024;

    private record Key(int mgmtClass, @Nullable Gid gid, int lid) {}

    private final Map<Key, MadAddress> places = new LinkedHashMap<>();

    private static Key key(int mgmtClass, MadAddress to) {
        return new Key(mgmtClass, to.gid(), to.lid());
    }

    /** Returns the present place of a class of a port, for a request to its general services. */
    MadAddress place(int mgmtClass, MadAddress to) {
        return to.qpn() == MadAddress.GSI_QPN ? places.getOrDefault(key(mgmtClass, to), to) : to;
    }

    void put(int mgmtClass, MadAddress to, MadAddress place) {
        if (places.size() == MAX_ENTRIES) {
            places.remove(places.keySet().iterator().next());
        }
        places.put(key(mgmtClass, to), place);
    }

    /** Forgets a place that does not answer. */
    void forget(int mgmtClass, MadAddress to) {
        places.remove(key(mgmtClass, to));
    }

    void clear() {
        places.clear();
    }

    /** Returns true for a response with status "redirect". */
    static boolean isRedirect(int status) {
        return (status & MadStatus.REDIRECT) != 0;
    }

    /**
     * Returns the place that a ClassPortInfo names, or null if it names none.
     *
     * @param old the address that answered
     * @param pkeyIndex index of the redirect's P_Key, or -1 to keep that of the request
     */
    static @Nullable MadAddress read(MemorySegment datagram, int offset, MadAddress old, int pkeyIndex) {
        Gid gid = ClassPortInfo.REDIRECT_GID.gid(datagram, offset);
        int lid = ClassPortInfo.REDIRECT_LID.getInt(datagram, offset);
        int qpn = ClassPortInfo.REDIRECT_QP.getInt(datagram, offset);
        AddressVector vector = old.vector();
        GlobalRoute route = vector.route();
        if (qpn == 0 || (route == null ? lid == 0 : gid.isZero())) {
            return null;
        }
        GlobalRoute newRoute = route == null
                ? null
                : new GlobalRoute(
                        gid,
                        ClassPortInfo.REDIRECT_FLOW_LABEL.getInt(datagram, offset),
                        route.sourceGidIndex(),
                        route.hopLimit(),
                        ClassPortInfo.REDIRECT_TC.getInt(datagram, offset));
        AddressVector newVector = new AddressVector(
                newRoute,
                lid,
                ClassPortInfo.REDIRECT_SL.getInt(datagram, offset),
                vector.sourcePathBits(),
                vector.staticRate(),
                vector.port());
        int qkey = ClassPortInfo.REDIRECT_QKEY.getInt(datagram, offset);
        return new MadAddress(newVector, qpn, qkey, pkeyIndex < 0 ? old.pkeyIndex() : pkeyIndex);
    }
}
