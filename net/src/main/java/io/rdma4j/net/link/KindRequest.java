package io.rdma4j.net.link;

import io.rdma4j.base.Errno;
import io.rdma4j.base.RdmaException;
import io.rdma4j.net.NetDevice;
import io.rdma4j.net.ns.LinkRequest;
import java.util.Map;
import java.util.TreeMap;

/** Reads what a user asks of a kind, and refuses what the kind does not know. */
final class KindRequest {
    private final LinkRequest request;
    private final Map<String, String> left;

    KindRequest(LinkRequest request) {
        this.request = request;
        this.left = new TreeMap<>(request.attributes());
    }

    /** The name asked for, else {@code pattern}. */
    String name(String pattern) {
        return request.name().isEmpty() ? pattern : request.name();
    }

    /** @throws RdmaException EINVAL if the user named no device to stand on */
    NetDevice lower() {
        NetDevice lower = request.lower();
        if (lower == null) {
            throw new RdmaException(
                    Errno.EINVAL, "a " + request.kind() + " device stands on another one: say on which");
        }
        return lower;
    }

    /** An attribute, else {@code absent}. */
    String text(String attribute, String absent) {
        String value = left.remove(attribute);
        return value == null ? absent : value;
    }

    /** @throws RdmaException EINVAL if it is no number, or is not there and {@code absent} is negative */
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
     * Gives a device the MTU and the address that were asked for.
     *
     * @throws RdmaException EINVAL for attributes that nobody has read
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
