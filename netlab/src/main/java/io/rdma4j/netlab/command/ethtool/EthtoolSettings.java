// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.netlab.command.ethtool;

import io.rdma4j.base.Errno;
import io.rdma4j.base.RdmaException;
import io.rdma4j.net.NetDevice;
import io.rdma4j.net.ethtool.LinkSettings;
import io.rdma4j.net.ethtool.LinkSettings.Duplex;
import io.rdma4j.netlab.command.shell.ArgumentReader;
import io.rdma4j.netlab.command.shell.CommandReport;
import io.rdma4j.netlab.command.shell.ShellSession;
import java.util.List;
import java.util.Locale;

/**
 * {@code ethtool DEV} and {@code ethtool -s DEV}: shows and changes speed, duplex mode and auto-negotiation of a link.
 */
final class EthtoolSettings {
    private EthtoolSettings() {}

    static int show(ShellSession session, NetDevice device, boolean json) {
        CommandReport report =
                new CommandReport().text("Settings for " + device.name() + ":").json("ifname", device.name());
        try {
            add(report, device.ethtool().linkSettings());
        } catch (RdmaException e) {
            if (e.errno() != Errno.EOPNOTSUPP) {
                throw e;
            }
        }
        boolean detected = device.isUp() && device.isCarrierOk();
        report.text("\n\tLink detected: " + (detected ? "yes" : "no")).json("link-detected", detected);
        CommandReport.print(List.of(report), json, session.out());
        return 0;
    }

    private static void add(CommandReport report, LinkSettings settings) {
        if (settings.speedMbps() == LinkSettings.UNKNOWN) {
            report.text("\n\tSpeed: Unknown!");
        } else {
            report.add("\n\tSpeed: ", "speed", settings.speedMbps()).text("Mb/s");
        }
        report.add("\n\tDuplex: ", "duplex", text(settings.duplex()));
        report.text("\n\tAuto-negotiation: " + (settings.autonegotiation() ? "on" : "off"))
                .json("auto-negotiation", settings.autonegotiation());
    }

    private static String text(Duplex duplex) {
        return switch (duplex) {
            case HALF -> "Half";
            case FULL -> "Full";
            case UNKNOWN -> "Unknown! (255)";
        };
    }

    static int change(ShellSession session, NetDevice device, ArgumentReader words) {
        LinkSettings now = device.ethtool().linkSettings();
        int speed = now.speedMbps();
        Duplex duplex = now.duplex();
        boolean autonegotiation = now.autonegotiation();
        while (words.hasNext()) {
            String word = words.next("a setting");
            switch (word) {
                case "speed" -> speed = words.count(word);
                case "duplex" -> duplex = duplex(words.next("half or full"));
                case "autoneg" -> autonegotiation = words.onOff(word);
                default -> throw ArgumentReader.garbage(word);
            }
        }
        LinkSettings wanted = new LinkSettings(speed, duplex, autonegotiation);
        session.change(() -> device.ethtool().setLinkSettings(wanted));
        return 0;
    }

    private static Duplex duplex(String word) {
        return switch (word.toLowerCase(Locale.ROOT)) {
            case "half" -> Duplex.HALF;
            case "full" -> Duplex.FULL;
            default -> throw ArgumentReader.wrong(word, "half or full");
        };
    }
}
