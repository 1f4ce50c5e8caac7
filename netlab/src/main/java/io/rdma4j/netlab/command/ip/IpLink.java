// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.netlab.command.ip;

import io.rdma4j.base.RdmaException;
import io.rdma4j.net.NetDevice;
import io.rdma4j.net.ns.LinkKinds;
import io.rdma4j.netlab.command.shell.ArgumentReader;
import io.rdma4j.netlab.command.shell.CommandReport;
import io.rdma4j.netlab.command.shell.ShellSession;
import java.util.List;

/** {@code ip link}: creates, changes, shows and deletes devices. */
final class IpLink implements IpObject {
    @Override
    public String name() {
        return "link";
    }

    @Override
    public int run(ShellSession session, IpOptions options, ArgumentReader words) {
        String command = words.keyword("Command", "show", List.of("add", "set", "delete", "show", "list", "lst"));
        switch (command) {
            case "add" -> IpLinkAdd.run(session, words);
            case "set" -> IpLinkSet.run(session, words);
            case "delete" -> delete(session, words);
            default -> show(session, options, words);
        }
        return 0;
    }

    private static void delete(ShellSession session, ArgumentReader words) {
        words.take("dev");
        NetDevice device = session.device(words.next("a device"));
        words.end();
        delete(session, device);
    }

    /**
     * Deletes a software link and the devices that depend on it.
     *
     * @throws RdmaException EOPNOTSUPP for a device that is not a software link
     */
    static void delete(ShellSession session, NetDevice device) {
        LinkKinds kinds = session.machine().net().links();
        session.change(() -> kinds.delete(device));
    }

    private static void show(ShellSession session, IpOptions options, ArgumentReader words) {
        List<NetDevice> shown = shown(session, words);
        CommandReport.print(
                shown.stream()
                        .map(device -> new LinkReport(device, options).ofLink(session))
                        .toList(),
                options.json(),
                session.out());
    }

    /** The devices that {@code [[dev] DEV] [up] [master DEV] [type KIND]} selects; all without arguments. */
    static List<NetDevice> shown(ShellSession session, ArgumentReader words) {
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
