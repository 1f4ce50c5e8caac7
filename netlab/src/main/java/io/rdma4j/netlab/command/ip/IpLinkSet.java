// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.netlab.command.ip;

import io.rdma4j.base.Errno;
import io.rdma4j.base.MacAddress;
import io.rdma4j.base.RdmaException;
import io.rdma4j.net.LinkMode;
import io.rdma4j.net.NetDevice;
import io.rdma4j.net.OperState;
import io.rdma4j.net.device.DeviceFlag;
import io.rdma4j.net.ns.NetNamespace;
import io.rdma4j.netlab.Machine;
import io.rdma4j.netlab.command.shell.ArgumentReader;
import io.rdma4j.netlab.command.shell.ShellSession;
import io.rdma4j.netlab.command.shell.UsageException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** {@code ip link set}: changes a device in the order of the words; a move to another namespace comes last. */
final class IpLinkSet {
    private final ShellSession session;
    private final List<Consumer<NetDevice>> changes = new ArrayList<>();
    private @Nullable NetDevice device;
    private @Nullable NetNamespace destination;

    private IpLinkSet(ShellSession session) {
        this.session = session;
    }

    static void run(ShellSession session, ArgumentReader words) {
        IpLinkSet set = new IpLinkSet(session);
        while (words.hasNext()) {
            set.read(words.next("a change"), words);
        }
        set.apply();
    }

    private void read(String word, ArgumentReader words) {
        switch (word) {
            case "up" -> flag(DeviceFlag.UP, true);
            case "down" -> flag(DeviceFlag.UP, false);
            case "arp" -> flag(DeviceFlag.NOARP, !words.onOff(word));
            case "allmulticast" -> flag(DeviceFlag.ALLMULTI, words.onOff(word));
            case "promisc" -> flag(DeviceFlag.PROMISC, words.onOff(word));
            case "multicast" -> flag(DeviceFlag.MULTICAST, words.onOff(word));
            case "dynamic" -> flag(DeviceFlag.DYNAMIC, words.onOff(word));
            case "mtu" -> {
                int bytes = words.count(word);
                changes.add(one -> one.setMtu(bytes));
            }
            case "txqueuelen", "qlen", "txqlen" -> {
                int packets = words.count(word);
                changes.add(one -> one.transmitQueues().length(packets));
            }
            case "name" -> rename(IpLinkAdd.name(words.next("a name")));
            case "alias" -> {
                String text = words.next("a text");
                changes.add(one -> one.node().alias(text));
            }
            case "address" -> {
                long mac = MacAddress.parse(words.next("an address"));
                changes.add(one -> one.setMacAddress(mac));
            }
            case "group" -> {
                int group = words.take("default") ? 0 : words.count(word);
                changes.add(one -> one.node().group(group));
            }
            case "master" -> {
                NetDevice master = session.device(words.next("a device"));
                changes.add(one -> one.stack().enslave(master));
            }
            case "nomaster" -> changes.add(one -> one.stack().enslave(null));
            case "mode" -> {
                LinkMode mode = word(LinkMode.class, words.next("default or dormant"), "Invalid link mode");
                changes.add(one -> one.linkState().setLinkMode(mode));
            }
            case "state" -> {
                OperState state = word(OperState.class, words.next("up or dormant"), "Invalid link state");
                changes.add(one -> one.linkState().setOperState(state));
            }
            case "vf" -> function(words);
            case "type" -> {
                String kind = words.next("a kind");
                Map<String, String> attributes = IpLinkAdd.pairs(words);
                changes.add(one -> change(one, kind, attributes));
            }
            case "netns" -> destination = namespace(words.next("a namespace"));
            case "dev" -> device(words.next("a device"));
            default -> device(word);
        }
    }

    private void flag(DeviceFlag flag, boolean on) {
        changes.add(one -> one.flags().change(flag, on));
    }

    private static <E extends Enum<E>> E word(Class<E> type, String word, String complaint) {
        try {
            return Enum.valueOf(type, word.toUpperCase(Locale.ROOT));
        } catch (IllegalArgumentException e) {
            throw ArgumentReader.wrong(word, complaint);
        }
    }

    /** {@code vf N [mac ADDRESS] [vlan VID [qos PRIORITY]]}. */
    private void function(ArgumentReader words) {
        int number = words.count("vf");
        while (words.peek().equals("mac") || words.peek().equals("vlan")) {
            if (words.take("mac")) {
                long mac = MacAddress.parse(words.next("an address"));
                changes.add(one -> session.machine().functions().of(one).setMac(number, mac));
            } else {
                words.expect("vlan");
                int vid = words.count("vlan");
                int qos = words.take("qos") ? words.count("qos") : 0;
                changes.add(one -> session.machine().functions().of(one).setVlan(number, vid, qos));
            }
        }
    }

    private void change(NetDevice one, String kind, Map<String, String> attributes) {
        if (!one.node().kind().equals(kind)) {
            throw new RdmaException(Errno.EINVAL, one.name() + " is no " + kind);
        }
        session.machine().net().links().change(one, attributes);
    }

    private void rename(String name) {
        changes.add(one -> session.namespace().rename(one, name));
    }

    /** Finds a namespace by name; {@code 1}, Linux's first process, selects the initial one. */
    private NetNamespace namespace(String name) {
        try {
            return session.machine().namespace(name.equals("1") ? Machine.INITIAL : name);
        } catch (RdmaException e) {
            throw ArgumentReader.wrong(name, "Invalid \"netns\" value");
        }
    }

    private void device(String name) {
        if (device != null) {
            throw ArgumentReader.garbage(name);
        }
        device = session.device(name);
    }

    private void apply() {
        NetDevice changed = device;
        if (changed == null) {
            throw new UsageException("Not enough of information: \"dev\" argument is required.");
        }
        NetNamespace to = destination;
        session.change(() -> {
            changes.forEach(change -> change.accept(changed));
            if (to != null) {
                to.move(changed, null);
            }
        });
    }
}
