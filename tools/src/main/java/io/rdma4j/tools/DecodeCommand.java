// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.tools;

import io.rdma4j.tools.cli.GetoptCommand;
import io.rdma4j.tools.cli.Option;
import io.rdma4j.tools.cli.Options;
import io.rdma4j.tools.cli.UsageException;
import io.rdma4j.tools.pcap.CaptureReader;
import io.rdma4j.tools.pcap.CaptureTally;
import io.rdma4j.tools.pcap.CapturedFrame;
import io.rdma4j.tools.pcap.DecodedPacket;
import io.rdma4j.tools.pcap.DecodedPacket.Verdict;
import io.rdma4j.wire.roce.Icrc;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.AccessDeniedException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.Objects;

/**
 * {@code rdma4j decode FILE}: prints the RoCE and InfiniBand packets of a capture, one per line, and a line of counts.
 * Exit code 0 if the file was read to its end, also with bad packets; otherwise 1.
 */
final class DecodeCommand extends GetoptCommand {
    private static final int FAILED = 1;

    DecodeCommand() {
        super(
                "decode",
                UsageException.DEFAULT_EXIT_CODE,
                Option.flag(Option.NO_LETTER, "json", "print one JSON object a line"));
    }

    @Override
    protected String synopsis() {
        return """
            Usage: decode [--json] FILE

            Prints the RoCE packets of a capture file (pcap or pcapng; Ethernet, raw IP or Linux cooked frames), the
            packets of InfiniBand links (link type 247), and the management datagrams of the simulator ibsim, and
            checks the CRCs. The last line counts all packets, then the RoCE packets among them. Each RoCE or
            InfiniBand packet has a right ICRC, a wrong ICRC, or is malformed.\
            """;
    }

    @Override
    protected int run(Options options, PrintWriter out, PrintWriter err) {
        atMostOperands(options, 1);
        if (options.operands().isEmpty()) {
            throw new UsageException("FILE is missing");
        }
        String file = options.operands().getFirst();
        PacketPrinter printer = options.has(Option.JSON.name()) ? new JsonPacketPrinter() : new TextPacketPrinter();
        try (CaptureReader reader = CaptureReader.open(Path.of(file))) {
            decode(reader, printer, out);
            return 0;
        } catch (NoSuchFileException e) {
            err.println("decode: " + file + ": no such file");
        } catch (AccessDeniedException e) {
            err.println("decode: " + file + ": permission denied");
        } catch (IOException e) {
            err.println("decode: " + file + ": " + Objects.requireNonNullElse(e.getMessage(), e.toString()));
        }
        return FAILED;
    }

    /** Prints the counts also for a damaged file, because they show how much of it was read. */
    private static void decode(CaptureReader reader, PacketPrinter printer, PrintWriter out) throws IOException {
        CaptureTally tally = new CaptureTally();
        try {
            printPackets(reader, printer, tally, out);
        } finally {
            out.println(printer.summary(tally));
            out.flush();
        }
    }

    private static void printPackets(CaptureReader reader, PacketPrinter printer, CaptureTally tally, PrintWriter out)
            throws IOException {
        Icrc icrc = new Icrc();
        long startNs = 0;
        for (CapturedFrame frame = reader.next(); frame != null; frame = reader.next()) {
            if (tally.packets() == 0) {
                startNs = frame.timeNs();
            }
            DecodedPacket packet = DecodedPacket.of(frame, icrc);
            tally.add(frame.link(), packet.verdict());
            if (packet.verdict() != Verdict.NOT_ROCE) {
                out.println(printer.packet(tally.packets(), frame.timeNs() - startNs, frame, packet));
            }
        }
    }
}
