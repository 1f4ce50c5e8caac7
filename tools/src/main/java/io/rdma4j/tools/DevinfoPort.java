// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.tools;

import io.rdma4j.base.Gid;
import io.rdma4j.verbs.Context;
import io.rdma4j.verbs.device.GidEntry;
import io.rdma4j.verbs.device.GidType;
import io.rdma4j.verbs.device.LinkLayer;
import io.rdma4j.verbs.device.PortAttributes;
import io.rdma4j.verbs.device.PortCapability;
import io.rdma4j.verbs.device.TransportType;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Prints what {@code ibv_devinfo} prints about a port. */
final class DevinfoPort {
    private static final String[] VL_TEXTS = {"invalid value", "1", "2", "4", "8", "15"};

    private final Context context;
    private final int port;
    private final PortAttributes attributes;
    private final DevinfoSection section = DevinfoSection.ofPort();

    /** Queries the device; {@code port} counts from 1. */
    DevinfoPort(Context context, int port, boolean verbose) {
        this.context = context;
        this.port = port;
        this.attributes = context.queryPort(port);
        section.member("port", port);
        summary();
        if (verbose) {
            details();
            gids();
        }
    }

    List<String> lines() {
        List<String> lines = new ArrayList<>();
        lines.add("\t\tport:\t" + port);
        lines.addAll(section.lines());
        lines.add("");
        return lines;
    }

    Map<String, Object> json() {
        return section.members();
    }

    private void summary() {
        section.coded("state", attributes.state().label(), attributes.state().code());
        section.coded(
                "max_mtu", attributes.maxMtu().bytes(), attributes.maxMtu().code());
        section.coded(
                "active_mtu",
                attributes.activeMtu().bytes(),
                attributes.activeMtu().code());
        section.number("sm_lid", attributes.smLid());
        section.number("port_lid", attributes.lid());
        section.formatted("port_lmc", "0x%02x", attributes.lmc());
        section.text("link_layer", attributes.linkLayer().text());
    }

    private void details() {
        section.formatted("max_msg_sz", "0x%x", attributes.maxMessageSize());
        section.formatted("port_cap_flags", "0x%08x", PortCapability.mask(attributes.capabilities()));
        section.formatted("port_cap_flags2", "0x%04x", 0);
        int vl = attributes.maxVlNumber();
        section.coded("max_vl_num", VL_TEXTS[vl > 0 && vl < VL_TEXTS.length ? vl : 0], vl);
        section.formatted("bad_pkey_cntr", "0x%x", attributes.badPkeyCounter());
        section.formatted("qkey_viol_cntr", "0x%x", attributes.qkeyViolationCounter());
        section.number("sm_sl", attributes.smSl());
        section.number("pkey_tbl_len", attributes.pkeyTableLength());
        section.number("gid_tbl_len", attributes.gidTableLength());
        section.number("subnet_timeout", attributes.subnetTimeout());
        section.number("init_type_reply", attributes.initTypeReply());
        section.coded(
                "active_width",
                attributes.activeWidth().text() + "X",
                attributes.activeWidth().code());
        section.coded(
                "active_speed",
                attributes.activeSpeed().text(),
                attributes.activeSpeed().code());
        if (context.device().transport() == TransportType.IB) {
            section.coded(
                    "phys_state",
                    attributes.physicalState().text(),
                    attributes.physicalState().code());
        }
    }

    private void gids() {
        List<Map<String, Object>> table = new ArrayList<>();
        for (GidEntry entry : context.queryGidTable()) {
            // The original treats an interface id of 0 as an empty slot.
            if (entry.port() == port && entry.gid().interfaceId() != 0) {
                section.line(line(entry));
                table.add(json(entry));
            }
        }
        section.member("gids", table);
    }

    private String line(GidEntry entry) {
        String gid = entry.type() == GidType.ROCE_V2 ? entry.gid().toString() : uncompressed(entry.gid());
        String type = attributes.linkLayer() == LinkLayer.ETHERNET
                ? ", " + entry.type().text()
                : "";
        return String.format("\t\t\tGID[%3d]:\t\t%s%s", entry.index(), gid, type);
    }

    private static Map<String, Object> json(GidEntry entry) {
        Map<String, Object> members = new LinkedHashMap<>();
        members.put("index", entry.index());
        members.put("gid", entry.gid().toString());
        members.put("type", entry.type().text());
        members.put("netdev", entry.netDeviceName());
        return members;
    }

    /** All eight groups, four digits each. */
    private static String uncompressed(Gid gid) {
        return String.join(":", gid.toHex().split("(?<=\\G.{4})"));
    }
}
