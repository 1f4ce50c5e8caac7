// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.wire.ip;

/** Record types in reports of {@link Igmp} and {@link Mld} (RFC 3376, 4.2.12), for records without sources. */
public final class GroupRecord {
    /** The host is a member ({@code IGMPV3_MODE_IS_EXCLUDE}). */
    public static final int IS_MEMBER = 2;
    /** The host has left the group ({@code IGMPV3_CHANGE_TO_INCLUDE}). */
    public static final int LEAVES = 3;
    /** The host has joined the group ({@code IGMPV3_CHANGE_TO_EXCLUDE}). */
    public static final int JOINS = 4;

    private GroupRecord() {}
}
