// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.tools.diag;

import io.rdma4j.tools.cli.UsageException;
import io.rdma4j.wire.ib.Lid;
import io.rdma4j.wire.mad.sm.Smp;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;

/**
 * The destination of a request. Corresponds to {@code ib_portid_t}.
 *
 * @param lid of the destination, or of the node at which the directed part of a combined route begins; 0 for none
 * @param drSlid {@code DrSLID} of a directed route
 * @param drDlid {@code DrDLID} of a directed route
 * @param hops of a directed route: 0, then the output ports; empty for a route by LID
 */
record MadTarget(int lid, int drSlid, int drDlid, List<Integer> hops) {
    MadTarget {
        hops = List.copyOf(hops);
    }

    static MadTarget ofLid(int lid) {
        return new MadTarget(lid, 0, 0, List.of());
    }

    /** Returns the directed route of no hops, to the node of the tool itself. */
    static MadTarget self() {
        return new MadTarget(0, 0, 0, List.of(0));
    }

    /**
     * Returns a directed route that begins at this node.
     *
     * @param text as {@code 0,1,5}
     */
    static MadTarget directed(String text) {
        return new MadTarget(0, Lid.PERMISSIVE, Lid.PERMISSIVE, hops(text));
    }

    /** Returns a directed route as {@code libibnetdisc} writes it. */
    static MadTarget fromSelf(String text) {
        return new MadTarget(0, 0, 0, hops(text));
    }

    /**
     * Returns a route by LID to a switch, and from there by ports.
     *
     * @param ownLid LID of this node
     * @param text as {@code 0,1,5}
     */
    static MadTarget combined(int lid, int ownLid, String text) {
        return new MadTarget(lid, ownLid, Lid.PERMISSIVE, hops(text));
    }

    private static List<Integer> hops(String text) {
        try {
            List<Integer> hops = text.lines()
                    .flatMap(line -> List.of(line.split(",", -1)).stream())
                    .map(Integer::decode)
                    .toList();
            if (!hops.isEmpty()
                    && hops.size() <= Smp.MAX_HOPS
                    && hops.stream().allMatch(hop -> hop >= 0 && hop < 255)) {
                return hops;
            }
        } catch (NumberFormatException _) {
            // the message is the same
        }
        throw new UsageException("'" + text + "' is no directed route, such as 0,1,5");
    }

    boolean isDirected() {
        return !hops.isEmpty();
    }

    /** Returns this route and one hop more. */
    MadTarget through(int port) {
        List<Integer> longer = new ArrayList<>(hops.isEmpty() ? List.of(0) : hops);
        longer.add(port);
        return new MadTarget(lid, drSlid, drDlid, longer);
    }

    /** Returns this route without its last hop. */
    MadTarget shortened() {
        return new MadTarget(lid, drSlid, drDlid, hops.subList(0, hops.size() - 1));
    }

    /** Returns the text of {@code portid2str}. */
    @Override
    public String toString() {
        String byLid = lid > 0 ? "Lid " + lid : "";
        if (!isDirected()) {
            return lid > 0 ? byLid : "Lid 0";
        }
        return (byLid.isEmpty() ? "" : byLid + " ") + "DR path slid " + drSlid + "; dlid " + drDlid + "; "
                + hops.stream().map(String::valueOf).collect(Collectors.joining(","));
    }
}
