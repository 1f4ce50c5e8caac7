// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.netlab.command.ping;

import io.rdma4j.base.Errno;
import io.rdma4j.base.NanoClock;
import io.rdma4j.base.RdmaException;
import io.rdma4j.links.PcapTap;
import io.rdma4j.links.PcapWriter;
import io.rdma4j.net.NetDevice;
import io.rdma4j.net.device.LinkType;
import io.rdma4j.net.skb.EtherType;
import io.rdma4j.netlab.command.shell.ArgumentReader;
import io.rdma4j.netlab.command.shell.ShellCommand;
import io.rdma4j.netlab.command.shell.ShellSession;
import io.rdma4j.netlab.command.shell.UsageException;
import io.rdma4j.netlab.command.shell.Wait;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * {@code tcpdump}: writes the packets of a device to a capture file, or prints a line for each. The device is
 * promiscuous in the meantime. The command ends after a number of packets, after a time, or by an interrupt of its
 * thread.
 */
public final class TcpdumpCommand implements ShellCommand {
    @Override
    public String name() {
        return "tcpdump";
    }

    @Override
    public String usage() {
        return "tcpdump -i DEV [-w FILE] [-c PACKETS] [-G SECONDS] [-s BYTES] [-n]";
    }

    private static final class Wishes {
        String device = "";

        @Nullable
        String file;

        long packets = Long.MAX_VALUE;
        long seconds = TimeUnit.DAYS.toSeconds(365);
        int snapBytes = PcapWriter.DEFAULT_SNAP_BYTES;
    }

    @Override
    public int run(ShellSession session, List<String> words) {
        Wishes wishes = read(new ArgumentReader(words));
        Wait.check(session.machine());
        NetDevice device = session.device(wishes.device);
        session.err()
                .println("listening on " + device.name() + ", link-type "
                        + (device.linkType() == LinkType.ETHERNET ? "EN10MB (Ethernet)" : "RAW (Raw IP)")
                        + ", snapshot length " + wishes.snapBytes + " bytes");
        session.err().flush();
        String file = wishes.file;
        long seen = file == null ? print(session, device, wishes) : write(session, device, wishes, file);
        session.err().println(seen + " packets captured");
        return 0;
    }

    private static Wishes read(ArgumentReader arguments) {
        Wishes wishes = new Wishes();
        while (arguments.hasNext()) {
            switch (arguments.next("an option")) {
                case "-i" -> wishes.device = arguments.next("a device");
                case "-w" -> wishes.file = arguments.next("a file");
                case "-c" -> wishes.packets = arguments.number("a number of packets", 1, Integer.MAX_VALUE);
                case "-G" -> wishes.seconds = arguments.number("seconds", 1, wishes.seconds);
                case "-s" -> wishes.snapBytes = snap(arguments.number("bytes", 0, PcapWriter.DEFAULT_SNAP_BYTES));
                case "-n" -> {}
                default -> throw new UsageException("\"" + String.join(" ", arguments.rest()) + "\" is not understood");
            }
        }
        if (wishes.device.isEmpty()) {
            throw new UsageException("-i DEV is missing");
        }
        return wishes;
    }

    /** 0 selects complete packets. */
    private static int snap(long bytes) {
        return bytes == 0 ? PcapWriter.DEFAULT_SNAP_BYTES : (int) bytes;
    }

    private static long write(ShellSession session, NetDevice device, Wishes wishes, String file) {
        try (PcapWriter writer = new PcapWriter(
                        Files.newByteChannel(
                                Path.of(file),
                                StandardOpenOption.CREATE,
                                StandardOpenOption.TRUNCATE_EXISTING,
                                StandardOpenOption.WRITE),
                        device.linkType(),
                        wishes.snapBytes);
                PcapTap tap = PcapTap.open(
                        device,
                        EtherType.ALL,
                        writer,
                        dated(session.machine().loop().clock()),
                        wishes.packets)) {
            Wait.until(
                    session.machine(),
                    TimeUnit.SECONDS.toNanos(wishes.seconds),
                    () -> tap.packets() >= wishes.packets ? tap : null);
            return tap.packets();
        } catch (IOException e) {
            throw new RdmaException(Errno.EIO, file + " cannot be written: " + e, e);
        }
    }

    /** The same clock with the origin 1970-01-01. */
    private static NanoClock dated(NanoClock clock) {
        Instant now = Instant.now();
        long offsetNs = TimeUnit.SECONDS.toNanos(now.getEpochSecond()) + now.getNano() - clock.nanoTime();
        return () -> offsetNs + clock.nanoTime();
    }

    private static long print(ShellSession session, NetDevice device, Wishes wishes) {
        SeenPackets seen = new SeenPackets(device);
        long[] printed = {0};
        device.link().setPromiscuity(1);
        device.protocols().addTap(EtherType.ALL, seen);
        try {
            Wait.until(session.machine(), TimeUnit.SECONDS.toNanos(wishes.seconds), () -> {
                SeenPackets.Seen packet = seen.take();
                if (packet != null) {
                    session.out().println(PacketText.of(packet));
                    session.out().flush();
                    printed[0]++;
                }
                return printed[0] >= wishes.packets ? seen : null;
            });
        } finally {
            device.protocols().removeTap(seen);
            device.link().setPromiscuity(-1);
        }
        if (seen.missed() > 0) {
            session.err().println(seen.missed() + " packets dropped, for want of room");
        }
        return printed[0];
    }
}
