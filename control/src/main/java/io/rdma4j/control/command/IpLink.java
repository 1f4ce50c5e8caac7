package io.rdma4j.control.command;

import io.rdma4j.base.RdmaException;
import io.rdma4j.net.NetDevice;
import io.rdma4j.net.ns.LinkKinds;
import java.util.List;

/** {@code ip link}: devices come, change and go. */
final class IpLink implements IpObject {
    @Override
    public String name() {
        return "link";
    }

    @Override
    public int run(Session session, IpOptions options, Arguments words) {
        String command = words.keyword("Command", "show", List.of("add", "set", "delete", "show", "list", "lst"));
        switch (command) {
            case "add" -> IpLinkAdd.run(session, words);
            case "set" -> IpLinkSet.run(session, words);
            case "delete" -> delete(session, words);
            default -> show(session, options, words);
        }
        return 0;
    }

    private static void delete(Session session, Arguments words) {
        words.take("dev");
        NetDevice device = session.device(words.next("a device"));
        words.end();
        delete(session, device);
    }

    /**
     * Takes a software link away, and what goes with it.
     *
     * @throws RdmaException EOPNOTSUPP for a device that stands for something outside
     */
    static void delete(Session session, NetDevice device) {
        LinkKinds kinds = session.machine().net().links();
        session.change(() -> kinds.delete(device));
    }

    private static void show(Session session, IpOptions options, Arguments words) {
        List<NetDevice> shown = shown(session, words);
        Report.print(
                shown.stream()
                        .map(device -> new LinkReport(device, options).ofLink(session))
                        .toList(),
                options.json(),
                session.out());
    }

    /** The devices that {@code [[dev] DEV] [up] [master DEV] [type KIND]} means; all, if nothing is said. */
    static List<NetDevice> shown(Session session, Arguments words) {
        List<NetDevice> shown = session.namespace().devices();
        while (words.hasNext()) {
            if (words.take("up")) {
                shown = shown.stream().filter(NetDevice::isUp).toList();
            } else if (words.take("master")) {
                NetDevice master = session.device(words.next("a device"));
                shown = shown.stream()
                        .filter(device -> master.equals(device.stack().master()))
                        .toList();
            } else if (words.take("type")) {
                String kind = words.next("a kind");
                shown = shown.stream()
                        .filter(device -> device.node().kind().equals(kind))
                        .toList();
            } else {
                words.take("dev");
                shown = List.of(session.device(words.next("a device")));
            }
        }
        return shown;
    }
}
