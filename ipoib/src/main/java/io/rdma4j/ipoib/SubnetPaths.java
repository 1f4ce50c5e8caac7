// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.ipoib;

import io.rdma4j.base.Gid;
import io.rdma4j.base.RdmaException;
import io.rdma4j.sa.SaClient;
import io.rdma4j.sa.SaRecord;
import io.rdma4j.sa.SaResult;
import io.rdma4j.verbs.values.AddressVector;
import io.rdma4j.verbs.values.GlobalRoute;
import io.rdma4j.verbs.values.Rate;
import io.rdma4j.wire.mad.sa.PathRecord;
import io.rdma4j.wire.mad.table.MadAttribute;
import java.util.function.Consumer;

/**
 * Asks the subnet administrator for the paths to stations ({@code path_rec_start}). A path that is not found is asked
 * for again with the next packet.
 */
final class SubnetPaths {
    private static final int TIMEOUT_MS = 1000;

    private final SaClient sa;
    private final IpoibQp qp;
    private final int port;
    private final Gid own;
    private final int pkey;
    private final Consumer<Runnable> tasks;
    private final Consumer<Peer> onResult;
    private long failed;

    /**
     * @param own GID of the port
     * @param tasks runs a task by the owner of the loop; any thread
     * @param onResult gets a peer whose path was found or not
     */
    SubnetPaths(
            SaClient sa, IpoibQp qp, int port, Gid own, int pkey, Consumer<Runnable> tasks, Consumer<Peer> onResult) {
        this.sa = sa;
        this.qp = qp;
        this.port = port;
        this.own = own;
        this.pkey = pkey;
        this.tasks = tasks;
        this.onResult = onResult;
    }

    /** Number of paths that were not found. */
    long failed() {
        return failed;
    }

    /** Asks for the path to a station, unless that is under way. */
    void request(Peer peer) {
        if (peer.isAsked) {
            return;
        }
        peer.isAsked = true;
        int epoch = peer.epoch;
        SaRecord wanted = SaRecord.of(MadAttribute.PATH_RECORD)
                .set(PathRecord.DGID, peer.address.gid())
                .set(PathRecord.SGID, own)
                .set(PathRecord.NUMB_PATH, 1)
                .set(PathRecord.PKEY, pkey);
        try {
            sa.path(wanted, TIMEOUT_MS, result -> tasks.accept(() -> answered(peer, epoch, result)));
        } catch (RdmaException noAdministrator) {
            peer.isAsked = false;
            failed++;
            onResult.accept(peer);
        }
    }

    private void answered(Peer peer, int epoch, SaResult result) {
        if (peer.epoch != epoch) {
            return;
        }
        peer.isAsked = false;
        if (result.isSuccess() && !result.records().isEmpty()) {
            peer.path = qp.createPath(vector(result.records().getFirst(), peer.address.gid()));
        } else {
            failed++;
        }
        onResult.accept(peer);
    }

    /** A path within the subnet has no GRH, as {@code ib_init_ah_attr_from_path}. */
    private AddressVector vector(SaRecord path, Gid destination) {
        int hopLimit = (int) path.get(PathRecord.HOP_LIMIT);
        GlobalRoute route = hopLimit <= 1
                ? null
                : new GlobalRoute(destination, (int) path.get(PathRecord.FLOW_LABEL), 0, hopLimit, (int)
                        path.get(PathRecord.TRAFFIC_CLASS));
        return new AddressVector(
                route, (int) path.get(PathRecord.DLID), (int) path.get(PathRecord.SL), 0, Rate.PORT_CURRENT, port);
    }
}
