package io.rdma4j.control.command;

import io.rdma4j.base.Errno;
import io.rdma4j.base.RdmaException;
import io.rdma4j.net.NetDevice;
import io.rdma4j.net.ns.LinkRequest;
import java.util.List;
import java.util.Map;

/** The older command {@code vconfig}: makes VLAN devices called {@code eth0.100}, and takes them away. */
final class VconfigCommand implements Command {
    @Override
    public String name() {
        return "vconfig";
    }

    @Override
    public String usage() {
        return "vconfig {add DEV VID | rem VLANDEV}";
    }

    @Override
    public int run(Session session, List<String> words) {
        Arguments arguments = new Arguments(words);
        switch (arguments.next("add or rem")) {
            case "add" -> add(session, arguments);
            case "rem" -> remove(session, arguments);
            case String other -> throw Arguments.garbage(other);
        }
        return 0;
    }

    private static void add(Session session, Arguments words) {
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

    private static void remove(Session session, Arguments words) {
        NetDevice vlan = session.device(words.next("a device"));
        words.end();
        if (!vlan.flags().isVlan()) {
            throw new RdmaException(Errno.EINVAL, vlan.name() + " is no VLAN device");
        }
        IpLink.delete(session, vlan);
        session.out().println("Removed VLAN -:" + vlan.name() + ":-");
    }
}
