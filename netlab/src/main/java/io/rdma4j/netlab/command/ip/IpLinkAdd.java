// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.netlab.command.ip;

import io.rdma4j.base.MacAddress;
import io.rdma4j.net.NetDevice;
import io.rdma4j.net.ns.LinkRequest;
import io.rdma4j.netlab.command.shell.ArgumentReader;
import io.rdma4j.netlab.command.shell.ShellSession;
import io.rdma4j.netlab.command.shell.UsageException;
import java.util.LinkedHashMap;
import java.util.Map;

/** {@code ip link add}: creates a software link of a kind that the machine supports. */
final class IpLinkAdd {
    /** Maximum length of a device name, in characters. */
    private static final int NAME_CHARACTERS = 15;

    private final ShellSession session;
    private LinkRequest request;
    private int txQueueLength = -1;

    private IpLinkAdd(ShellSession session) {
        this.session = session;
        this.request = LinkRequest.of("", session.namespace());
    }

    static void run(ShellSession session, ArgumentReader words) {
        IpLinkAdd add = new IpLinkAdd(session);
        while (words.hasNext() && !words.take("type")) {
            add.read(words);
        }
        String kind = words.next("\"type KIND\"");
        Map<String, String> attributes = kind.equals("veth") ? peer(words) : pairs(words);
        add.make(kind, attributes);
    }

    private void read(ArgumentReader words) {
        String word = words.next("a word");
        switch (word) {
            case "link" -> request = request.withLower(session.device(words.next("a device")));
            case "name", "dev" -> request = request.withName(name(words.next("a name")));
            case "mtu" -> request = request.withLink(words.count(word), request.macAddress());
            case "address" -> request = request.withLink(request.mtu(), MacAddress.parse(words.next("an address")));
            case "numtxqueues" -> request = request.withQueues(words.count(word), request.rxQueues());
            case "numrxqueues" -> request = request.withQueues(request.txQueues(), words.count(word));
            case "txqueuelen", "qlen" -> txQueueLength = words.count(word);
            default -> {
                if (!request.name().isEmpty()) {
                    throw ArgumentReader.garbage(word);
                }
                request = request.withName(name(word));
            }
        }
    }

    /**
     * Checks the length of a device name, as {@code ip} itself does.
     *
     * @throws UsageException if the name is too long
     */
    static String name(String word) {
        if (word.length() > NAME_CHARACTERS) {
            throw ArgumentReader.wrong(word, "\"name\" too long");
        }
        return word;
    }

    private static Map<String, String> peer(ArgumentReader words) {
        if (!words.take("peer")) {
            words.end();
            return Map.of();
        }
        words.take("name");
        Map<String, String> peer = Map.of("peer", name(words.next("the name of the peer")));
        words.end();
        return peer;
    }

    /** Reads the remaining words as parameters of a kind, each with a value. */
    static Map<String, String> pairs(ArgumentReader words) {
        Map<String, String> pairs = new LinkedHashMap<>();
        while (words.hasNext()) {
            String name = words.next("a parameter");
            pairs.put(name.equals("proto") ? "protocol" : name, words.next("a value behind \"" + name + "\""));
        }
        return pairs;
    }

    private void make(String kind, Map<String, String> attributes) {
        LinkRequest complete = new LinkRequest(
                kind,
                request.namespace(),
                request.name(),
                request.lower(),
                request.mtu(),
                request.macAddress(),
                request.txQueues(),
                request.rxQueues(),
                attributes);
        session.change(() -> {
            NetDevice made = session.machine().net().links().create(complete);
            if (txQueueLength >= 0) {
                made.transmitQueues().length(txQueueLength);
            }
        });
    }
}
