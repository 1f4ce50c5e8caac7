package io.rdma4j.wire;

/** What a record of {@link Igmp} and {@link Mld} says of a group (RFC 3376, 4.2.12); without sources, as all of ours are. */
public final class GroupRecord {
    /** We are in it ({@code IGMPV3_MODE_IS_EXCLUDE}). */
    public static final int IS_MEMBER = 2;
    /** We have left it ({@code IGMPV3_CHANGE_TO_INCLUDE}). */
    public static final int LEAVES = 3;
    /** We have come into it ({@code IGMPV3_CHANGE_TO_EXCLUDE}). */
    public static final int JOINS = 4;

    private GroupRecord() {}
}
