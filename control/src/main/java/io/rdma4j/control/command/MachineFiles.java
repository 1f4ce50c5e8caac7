package io.rdma4j.control.command;

import io.rdma4j.base.Errno;
import io.rdma4j.base.RdmaException;
import io.rdma4j.control.Machine;
import io.rdma4j.net.Attribute;
import io.rdma4j.net.ClientGroup;
import io.rdma4j.net.ip.IpStack;
import io.rdma4j.net.loop.InterruptVector;
import io.rdma4j.net.loop.NetLoop;
import io.rdma4j.net.ns.NetNamespace;
import java.util.Locale;
import java.util.Map;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.IntConsumer;
import java.util.function.IntSupplier;

/**
 * What a machine shows of itself as text by path, as Linux does below {@code /proc} and {@code /sys}: the attributes of its devices,
 * what its loop has done and how it works, groups of senders. Seen from a namespace.
 */
final class MachineFiles {
    /** The folder of a group of senders has the name of the group. */
    static final String GROUPS = "/sys/fs/cgroup/";

    private static final String NAMESPACES = "/run/netns/";

    private final Session session;

    MachineFiles(Session session) {
        this.session = session;
    }

    /** @throws RdmaException ENOENT if there is no such file */
    String read(String path) {
        return isOfDevice(path)
                ? session.namespace().attributes().read(path)
                : find(path).show().get();
    }

    /** @throws RdmaException ENOENT if there is no such file, EACCES if it is read-only, and what is refused */
    void write(String path, String value) {
        if (isOfDevice(path)) {
            session.namespace().attributes().write(path, value);
        } else {
            find(path).store().accept(value.strip());
        }
    }

    /** @throws RdmaException ENOENT if there is no such folder */
    SortedSet<String> list(String folder) {
        if (isOfDevice(folder)) {
            return session.namespace().attributes().list(folder);
        }
        String prefix = folder.endsWith("/") ? folder : folder + "/";
        SortedSet<String> names = new TreeSet<>();
        for (String path : all().keySet()) {
            if (path.startsWith(prefix)) {
                int slash = path.indexOf('/', prefix.length());
                names.add(path.substring(prefix.length(), slash < 0 ? path.length() : slash));
            }
        }
        if (names.isEmpty()) {
            throw nothing(folder);
        }
        return names;
    }

    private static boolean isOfDevice(String path) {
        return path.startsWith("/sys/class/net") || path.startsWith("/sys/devices/");
    }

    private Attribute find(String path) {
        Attribute found = all().get(path);
        if (found == null) {
            throw nothing(path);
        }
        return found;
    }

    private static RdmaException nothing(String path) {
        return new RdmaException(Errno.ENOENT, path + ": No such file or directory");
    }

    /** All but those of devices, by path. */
    Map<String, Attribute> all() {
        Map<String, Attribute> files = new TreeMap<>();
        addLoop(files);
        addInterrupts(files);
        addGroups(files);
        IpStack stack = session.machine().stack(session.namespace());
        files.put(
                "/proc/sys/net/ipv4/ip_forward",
                number(() -> stack.isForwarding() ? 1 : 0, value -> stack.setForwarding(value != 0)));
        files.put("/proc/self/ns/net", identity(session.namespace()));
        files.put("/proc/1/ns/net", identity(session.machine().net().initial()));
        session.machine().namespaces().forEach((name, namespace) -> {
            if (!name.equals(Machine.INITIAL)) {
                files.put(NAMESPACES + name, identity(namespace));
            }
        });
        return files;
    }

    private void addLoop(Map<String, Attribute> files) {
        NetLoop loop = session.machine().loop();
        files.put(
                "/proc/net/softnet_stat",
                Attribute.readOnly(() ->
                        String.join("\n", loop.exclusively(() -> loop.softnet().lines()))));
        files.put("/proc/sys/net/core/netdev_budget", number(loop::budget, loop::budget));
        files.put(
                "/proc/sys/net/core/netdev_max_backlog",
                number(
                        () -> loop.softnet().maxBacklog(),
                        packets -> loop.softnet().maxBacklog(packets)));
    }

    private void addInterrupts(Map<String, Attribute> files) {
        var interrupts = session.machine().loop().interrupts();
        files.put("/proc/interrupts", Attribute.readOnly(() -> String.join("\n", interrupts.lines())));
        for (InterruptVector vector : interrupts.vectors()) {
            int irq = vector.number();
            files.put(
                    "/proc/irq/" + irq + "/smp_affinity",
                    new Attribute(() -> mask(vector.affinity()), text -> interrupts.affinity(irq, parseMask(text))));
        }
    }

    private void addGroups(Map<String, Attribute> files) {
        NetNamespace namespace = session.namespace();
        for (ClientGroup group : session.machine().groups().all()) {
            String folder = GROUPS + group.name() + "/";
            files.put(
                    folder + "net_prio.ifpriomap",
                    new Attribute(
                            () -> String.join("\n", group.ifpriomap(namespace.devices())),
                            line -> group.ifpriomap(line, namespace::find)));
            files.put(folder + "net_prio.prioidx", Attribute.readOnly(() -> Integer.toString(group.prioidx())));
            files.put(
                    folder + "net_cls.classid",
                    new Attribute(
                            () -> Integer.toUnsignedString(group.classId()), text -> group.classId((int) parse(text))));
        }
    }

    private static Attribute identity(NetNamespace namespace) {
        return Attribute.readOnly(() -> "net:[" + namespace.id() + "]");
    }

    private static Attribute number(IntSupplier show, IntConsumer store) {
        return new Attribute(() -> Integer.toString(show.getAsInt()), text -> {
            long value = parse(text);
            if (value != (int) value) {
                throw new RdmaException(Errno.EINVAL, text + " does not fit in 32 bits");
            }
            store.accept((int) value);
        });
    }

    private static long parse(String text) {
        try {
            return Long.decode(text);
        } catch (NumberFormatException e) {
            throw new RdmaException(Errno.EINVAL, "\"" + text + "\" is no number", e);
        }
    }

    /** Words of 32 bits with commas between them, as Linux shows masks. */
    private static String mask(long bits) {
        return bits >>> Integer.SIZE == 0
                ? Long.toHexString(bits)
                : String.format(Locale.ROOT, "%x,%08x", bits >>> Integer.SIZE, bits & 0xFFFF_FFFFL);
    }

    private static long parseMask(String text) {
        try {
            return Long.parseUnsignedLong(text.replace(",", ""), 16);
        } catch (NumberFormatException e) {
            throw new RdmaException(Errno.EINVAL, "\"" + text + "\" is no hexadecimal mask", e);
        }
    }
}
