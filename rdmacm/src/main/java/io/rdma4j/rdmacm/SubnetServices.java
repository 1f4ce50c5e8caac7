// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.rdmacm;

import io.rdma4j.base.Errno;
import io.rdma4j.base.Gid;
import io.rdma4j.cm.CmPath;
import org.jspecify.annotations.Nullable;

/** What the subnet administrator does for a port on an InfiniBand subnet: paths and groups. Called with the lock. */
public interface SubnetServices {
    /**
     * Which path.
     *
     * @param source own IP address
     * @param destination GID of the port of the peer
     * @param serviceId the service ID that the connection is for
     * @param typeOfService 8 bits: quality of service class for IPv4, traffic class for IPv6
     */
    record Query(Gid source, Gid destination, long serviceId, int typeOfService) {}

    /** Gets the result of a query, once, with the lock of {@link RdmaCm}. */
    interface Handler {
        /**
         * The query has ended.
         *
         * @param path the path; null after an error
         * @param error ETIMEDOUT without an answer, EINVAL if there is no such path, EINTR if the device is closed;
         *     null with a path
         */
        void found(@Nullable CmPath path, @Nullable Errno error);
    }

    /**
     * Asks for a path. Does not wait. Corresponds to {@code ib_sa_path_rec_get}.
     *
     * @param query which path
     * @param timeoutMs total time, at least 1
     * @param handler gets the result later
     * @throws io.rdma4j.base.RdmaException EAGAIN while the port has no subnet administrator; ENODEV if the address is
     *     not one of the port's
     */
    void find(Query query, int timeoutMs, Handler handler);

    /**
     * Which group.
     *
     * @param source own IP address
     * @param mgid GID of the group, with the partition of the own address
     * @param qkey Q_Key of a group that does not exist yet
     * @param mode what the member may do
     */
    record Group(Gid source, Gid mgid, int qkey, JoinMode mode) {}

    /** Gets each result of a membership, with the lock of {@link RdmaCm}. */
    interface MemberHandler {
        /**
         * The port is a member, or it is none.
         *
         * @param group where datagrams go; null after an error
         * @param error ETIMEDOUT without an answer, EINVAL if the administrator refuses, ENETRESET if the subnet has
         *     lost the group, after which the port joins again; null with a group
         */
        void changed(@Nullable DatagramPeer group, @Nullable Errno error);
    }

    /** A membership in a group, or a join that is under way. */
    interface Membership {
        /** Ends it; its handler is not called any more. */
        void leave();
    }

    /**
     * Joins a group. Does not wait. Corresponds to {@code ib_sa_join_multicast}.
     *
     * @param group which group
     * @param handler gets the results later
     * @return the membership
     * @throws io.rdma4j.base.RdmaException EAGAIN while the port has no subnet administrator; ENODEV if the address is
     *     not one of the port's
     */
    Membership join(Group group, MemberHandler handler);
}
