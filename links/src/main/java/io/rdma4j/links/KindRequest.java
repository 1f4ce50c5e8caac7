// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.links;

import io.rdma4j.base.Errno;
import io.rdma4j.base.RdmaException;
import io.rdma4j.net.NetDevice;
import io.rdma4j.net.ns.LinkRequest;
import java.util.Map;
import java.util.TreeMap;

/** Reads a user's request for a link kind, and rejects attributes that the kind does not have. */
final class KindRequest {
    private final LinkRequest request;
    private final Map<String, String> left;

    KindRequest(LinkRequest request) {
        this.request = request;
        this.left = new TreeMap<>(request.attributes());
    }

    /** Returns the requested name, or {@code pattern} if there is none. */
    String name(String pattern) {
        return request.name().isEmpty() ? pattern : request.name();
    }

    /** @throws RdmaException EINVAL if the user named no lower device */
    NetDevice lower() {
        NetDevice lower = request.lower();
        if (lower == null) {
            throw new RdmaException(
                    Errno.EINVAL, "a " + request.kind() + " device stands on another one: say on which");
        }
        return lower;
    }

    /** Returns an attribute, or {@code absent} if it is not set. */
    String text(String attribute, String absent) {
        String value = left.remove(attribute);
        return value == null ? absent : value;
    }

    /** @throws RdmaException EINVAL if it is not a number, is negative, or is not set and {@code absent} is negative */
    int number(String attribute, int absent) {
        String value = text(attribute, String.valueOf(absent));
        try {
            int number = Integer.parseInt(value);
            if (number >= 0) {
                return number;
            }
        } catch (NumberFormatException e) {
            throw new RdmaException(Errno.EINVAL, request.kind() + ": " + attribute + " " + value + " is no number", e);
        }
        throw new RdmaException(Errno.EINVAL, "a " + request.kind() + " device needs a number \"" + attribute + "\"");
    }

    /**
     * Sets the requested MTU and address of a device.
     *
     * @throws RdmaException EINVAL for attributes that the kind has not read
     */
    NetDevice finish(NetDevice device) {
        if (!left.isEmpty()) {
            throw new RdmaException(Errno.EINVAL, request.kind() + " has no " + left.keySet());
        }
        if (request.mtu() != 0) {
            device.setMtu(request.mtu());
        }
        if (request.macAddress() != 0) {
            device.setMacAddress(request.macAddress());
        }
        return device;
    }
}
