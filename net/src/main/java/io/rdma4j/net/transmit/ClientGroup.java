// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.net.transmit;

import io.rdma4j.base.Errno;
import io.rdma4j.base.RdmaException;
import io.rdma4j.packet.SkBuff;
import java.util.Collection;
import java.util.List;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * A control group of senders ({@code net_prio} and {@code net_cls}). Any thread may call it.
 *
 * <p>The group gives its packets two properties: a priority for each device, used if the application sets none, and a
 * class that filters and qdiscs match. A packet belongs to the group of its owner, if the owner is a
 * {@link GroupMember}.
 */
public final class ClientGroup {
    private final String name;
    private final int prioidx;
    private volatile int classId;

    ClientGroup(String name, int prioidx) {
        this.name = name;
        this.prioidx = prioidx;
    }

    /** {@return the group's name, unique within the host} */
    public String name() {
        return name;
    }

    /** {@return the group's number, unique within the host ({@code net_prio.prioidx})} */
    public int prioidx() {
        return prioidx;
    }

    /**
     * {@return the class of its packets: major and minor number of 16 bits each, 0 if not set
     * ({@code net_cls.classid})}
     */
    public int classId() {
        return classId;
    }

    /**
     * Sets the class of its packets.
     *
     * @param majorMinor major and minor number, 16 bits each; 0 for none
     */
    public void classId(int majorMinor) {
        classId = majorMinor;
    }

    /**
     * {@return the class of a packet's group, 0 if it has no group ({@code task_get_classid})} Allocates nothing.
     *
     * @param skb any packet
     */
    public static int classIdOf(SkBuff skb) {
        ClientGroup group = of(skb);
        return group == null ? 0 : group.classId;
    }

    static @Nullable ClientGroup of(SkBuff skb) {
        return skb.meta().owner() instanceof GroupMember member ? member.group() : null;
    }

    /**
     * Sets the priority of the group's packets on a device ({@code net_prio.ifpriomap}).
     *
     * @param line name of the device and priority, as in {@code eth0 5}
     * @param devices finds a device by its name
     * @throws RdmaException EINVAL if the line has another format, ENODEV if there is no such device
     */
    public void ifpriomap(String line, Function<String, ? extends @Nullable TransmittingDevice> devices) {
        String[] words = line.strip().split("\\s+", -1);
        if (words.length != 2) {
            throw new RdmaException(Errno.EINVAL, "\"" + line + "\" is not a device and a priority, as in \"eth0 5\"");
        }
        TransmittingDevice device = devices.apply(words[0]);
        if (device == null) {
            throw new RdmaException(Errno.ENODEV, "there is no device " + words[0]);
        }
        try {
            device.transmitQueues().groupPriority(this, Integer.parseUnsignedInt(words[1]));
        } catch (NumberFormatException e) {
            throw new RdmaException(Errno.EINVAL, "\"" + words[1] + "\" is no priority", e);
        }
    }

    /**
     * {@return one line for each device: its name and the group's priority on it}
     *
     * @param devices the devices, in the order of the lines
     */
    public List<String> ifpriomap(Collection<? extends TransmittingDevice> devices) {
        return devices.stream()
                .map(device -> device.name() + " "
                        + Integer.toUnsignedString(device.transmitQueues().groupPriority(this)))
                .toList();
    }
}
