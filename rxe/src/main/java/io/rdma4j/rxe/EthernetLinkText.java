// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.rxe;

import io.rdma4j.base.MacAddress;
import io.rdma4j.base.RdmaException;
import io.rdma4j.net.address.InterfaceAddress;
import java.util.ArrayList;
import java.util.List;

/** Parses the text after {@code tap:} and {@code packet:} in a {@link DeviceSpec}. */
final class EthernetLinkText {
    static final String SYNTAX = "NAME=tap:INTERFACE,ADDR/PREFIX[,ADDR/PREFIX...][,mac=MAC][,mtu=BYTES],"
            + " or NAME=packet:INTERFACE,ADDR/PREFIX[,ADDR/PREFIX...][,mac=MAC], for example rxe0=tap:tap0,10.0.0.2/24";

    private static final String MAC = "mac=";
    private static final String MTU = "mtu=";
    private static final int LEAST_MTU = 1280;
    private static final int MOST_MTU = 65_521;

    private final String text;
    private final EthernetLink.Kind kind;
    private final List<InterfaceAddress> addresses = new ArrayList<>();
    private long mac;
    private int mtu;

    private EthernetLinkText(String text, EthernetLink.Kind kind) {
        this.text = text;
        this.kind = kind;
    }

    /**
     * Parses the rest of a device specification.
     *
     * @param text all of it, for messages
     * @throws RdmaException EINVAL for invalid text
     */
    static DeviceSpec parse(String text, String name, EthernetLink.Kind kind, String where) {
        String[] parts = where.split(",", -1);
        EthernetLinkText link = new EthernetLinkText(text, kind);
        for (int i = 1; i < parts.length; i++) {
            link.parsePart(parts[i].strip());
        }
        String interfaceName = parts[0].strip();
        if (interfaceName.isEmpty() || link.addresses.isEmpty()) {
            throw DeviceSpec.invalid(text, "it needs an interface and an address of its own");
        }
        return new DeviceSpec(
                name,
                new EthernetLink(kind, interfaceName, link.mac, link.mtu, link.addresses),
                link.addresses.stream()
                        .map(address -> address.address().toInetAddress())
                        .toList(),
                RxeOptions.ROCE_V2_PORT);
    }

    private void parsePart(String part) {
        if (part.startsWith(MAC)) {
            mac = parseMac(part.substring(MAC.length()));
        } else if (part.startsWith(MTU) && kind == EthernetLink.Kind.TAP) {
            mtu = DeviceSpec.parseNumber(text, "MTU", part.substring(MTU.length()), LEAST_MTU, MOST_MTU);
        } else {
            parseAddress(part);
        }
    }

    private long parseMac(String literal) {
        try {
            long parsed = MacAddress.parse(literal);
            if (MacAddress.isValid(parsed)) {
                return parsed;
            }
        } catch (RdmaException e) {
            throw DeviceSpec.invalid(text, "\"" + literal + "\" is not a link address");
        }
        throw DeviceSpec.invalid(text, literal + " is not the address of one station");
    }

    private void parseAddress(String part) {
        if (part.indexOf('/') < 0) {
            throw DeviceSpec.invalid(text, "\"" + part + "\" is no ADDR/PREFIX");
        }
        try {
            addresses.add(InterfaceAddress.parse(part));
        } catch (RdmaException e) {
            throw DeviceSpec.invalid(text, "\"" + part + "\" is no ADDR/PREFIX");
        }
    }
}
