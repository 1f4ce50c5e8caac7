// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.netlab.command.files;

import io.rdma4j.base.Errno;
import io.rdma4j.base.RdmaException;
import io.rdma4j.net.DeviceAttribute;
import io.rdma4j.net.ns.NetNamespace;
import io.rdma4j.net.transmit.ClientGroup;
import io.rdma4j.netlab.command.shell.ShellSession;
import java.util.List;

/**
 * Adds the groups of senders as directories, where Linux has control groups of version 1. Both controllers are mounted
 * in one directory; a link has the name of each.
 */
final class GroupFiles {
    private static final String ROOT = "/sys/fs/cgroup/";
    private static final String BOTH = "net_cls,net_prio";
    private static final List<String> CONTROLLERS = List.of("net_cls", "net_prio");

    /** Directory in which users create groups. */
    static final String USUAL = ROOT + "net_prio/";

    private GroupFiles() {}

    static void add(FileTree files, ShellSession session) {
        files.folder(ROOT + BOTH);
        CONTROLLERS.forEach(name -> files.link(ROOT + name, BOTH));
        NetNamespace namespace = session.namespace();
        for (ClientGroup group : session.machine().groups().all()) {
            String folder = ROOT + BOTH + "/" + group.name() + "/";
            files.value(
                    folder + "net_prio.ifpriomap",
                    new DeviceAttribute(
                            () -> String.join("\n", group.ifpriomap(namespace.devices())),
                            line -> group.ifpriomap(line, namespace::find)));
            files.value(folder + "net_prio.prioidx", DeviceAttribute.readOnly(() -> Integer.toString(group.prioidx())));
            files.value(
                    folder + "net_cls.classid",
                    new DeviceAttribute(
                            () -> Integer.toUnsignedString(group.classId()),
                            text -> group.classId((int) MachineFiles.parse(text))));
        }
    }

    /**
     * Returns the name of the group that a directory represents; the group need not exist.
     *
     * @throws RdmaException EPERM for a directory elsewhere
     */
    static String groupOf(String folder) {
        String path = folder.endsWith("/") ? folder.substring(0, folder.length() - 1) : folder;
        int slash = path.lastIndexOf('/');
        String name = path.substring(slash + 1);
        String parent = path.substring(0, Math.max(slash, 0));
        boolean isPlace = parent.equals(ROOT + BOTH)
                || CONTROLLERS.stream().anyMatch(controller -> parent.equals(ROOT + controller));
        if (!isPlace || name.isEmpty()) {
            throw new RdmaException(Errno.EPERM, folder + ": folders are made and removed in " + USUAL + " only");
        }
        return name;
    }
}
