package io.rdma4j.net;

import io.rdma4j.base.Errno;
import io.rdma4j.base.RdmaException;
import io.rdma4j.packet.SkBuff;
import java.util.Collection;
import java.util.List;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * A group of senders whose traffic an administrator treats alike (a control group of {@code net_prio} and {@code net_cls}): their packets
 * have the priority that the group has on a device, for programs that do not set one, and a class that filters and qdiscs look at. A
 * packet belongs to the group of its owner, if that is a {@link GroupMember}. Any thread.
 */
public final class ClientGroup {
    private final String name;
    private final int prioidx;
    private volatile int classId;

    ClientGroup(String name, int prioidx) {
        this.name = name;
        this.prioidx = prioidx;
    }

    /** {@return its name, unique among those of the host} */
    public String name() {
        return name;
    }

    /** {@return the number of the group, unique among those of its host ({@code net_prio.prioidx})} */
    public int prioidx() {
        return prioidx;
    }

    /**
     * {@return the class of its packets, major and minor number of 16 bits each, 0 if none was given
     * ({@code net_cls.classid})}
     */
    public int classId() {
        return classId;
    }

    /**
     * Gives them another one.
     *
     * @param majorMinor 16 bits of each; 0 for none
     */
    public void classId(int majorMinor) {
        classId = majorMinor;
    }

    /**
     * {@return the class of a packet ({@code task_get_classid}): that of its group, 0 if it has none} Allocates
     * nothing.
     *
     * @param skb any
     */
    public static int classIdOf(SkBuff skb) {
        ClientGroup group = of(skb);
        return group == null ? 0 : group.classId;
    }

    static @Nullable ClientGroup of(SkBuff skb) {
        return skb.owner() instanceof GroupMember member ? member.group() : null;
    }

    /**
     * Sets the priority of the group's packets on a device ({@code net_prio.ifpriomap}).
     *
     * @param line name of the device and priority, as in {@code eth0 5}
     * @param devices finds a device by its name
     * @throws RdmaException EINVAL if the line is not so, ENODEV if there is no such device
     */
    public void ifpriomap(String line, Function<String, @Nullable NetDevice> devices) {
        String[] words = line.strip().split("\\s+", -1);
        if (words.length != 2) {
            throw new RdmaException(Errno.EINVAL, "\"" + line + "\" is not a device and a priority, as in \"eth0 5\"");
        }
        NetDevice device = devices.apply(words[0]);
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
     * {@return a line for each device: its name and the priority there}
     *
     * @param devices in the order of the lines
     */
    public List<String> ifpriomap(Collection<NetDevice> devices) {
        return devices.stream()
                .map(device -> device.name() + " "
                        + Integer.toUnsignedString(device.transmitQueues().groupPriority(this)))
                .toList();
    }
}
