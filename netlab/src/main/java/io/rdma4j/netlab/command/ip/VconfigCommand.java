// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.netlab.command.ip;

import io.rdma4j.base.Errno;
import io.rdma4j.base.RdmaException;
import io.rdma4j.net.NetDevice;
import io.rdma4j.net.ns.LinkRequest;
import io.rdma4j.netlab.command.shell.ArgumentReader;
import io.rdma4j.netlab.command.shell.ShellCommand;
import io.rdma4j.netlab.command.shell.ShellSession;
import java.util.List;
import java.util.Map;

/** {@code vconfig}: creates VLAN devices with names such as {@code eth0.100}, and deletes them. */
public final class VconfigCommand implements ShellCommand {
    @Override
    public String name() {
        return "vconfig";
    }

    @Override
    public String usage() {
        return "vconfig {add DEV VID | rem VLANDEV}";
    }

    @Override
    public int run(ShellSession session, List<String> words) {
        ArgumentReader arguments = new ArgumentReader(words);
        switch (arguments.next("add or rem")) {
            case "add" -> add(session, arguments);
            case "rem" -> remove(session, arguments);
            case String other -> throw ArgumentReader.garbage(other);
        }
        return 0;
    }

    private static void add(ShellSession session, ArgumentReader words) {
        NetDevice lower = session.device(words.next("a device"));
        int vid = words.count("VID");
        words.end();
        LinkRequest request = LinkRequest.of("vlan", session.namespace())
                .withName(IpLinkAdd.name(lower.name() + "." + vid))
                .withLower(lower)
                .withAttributes(Map.of("id", String.valueOf(vid)));
        session.change(() -> session.machine().net().links().create(request));
        session.out().println("Added VLAN with VID == " + vid + " to IF -:" + lower.name() + ":-");
    }

    private static void remove(ShellSession session, ArgumentReader words) {
        NetDevice vlan = session.device(words.next("a device"));
        words.end();
        if (!vlan.flags().isVlan()) {
            throw new RdmaException(Errno.EINVAL, vlan.name() + " is no VLAN device");
        }
        IpLink.delete(session, vlan);
        session.out().println("Removed VLAN -:" + vlan.name() + ":-");
    }
}
