package io.rdma4j.tools;

import io.rdma4j.tools.pcap.CaptureReader;
import io.rdma4j.tools.pcap.CaptureTally;
import io.rdma4j.tools.pcap.CapturedFrame;
import io.rdma4j.tools.pcap.DecodedPacket;
import io.rdma4j.tools.pcap.DecodedPacket.Verdict;
import io.rdma4j.wire.Icrc;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.AccessDeniedException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.Objects;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/**
 * {@code rdma4j decode FILE}: prints the RoCE packets of a capture, one a line, and a line of counts. Exit code 0 if the
 * file could be read to its end, whatever is in it; 1 if not.
 */
@Command(
        name = "decode",
        mixinStandardHelpOptions = true,
        description = "Prints the RoCE packets of a capture file (pcap or pcapng) and checks their invariant CRCs.",
        footer = {
            "",
            "The last line counts all packets, then the RoCE packets among them, each of which has a right ICRC,",
            "a wrong ICRC, or is malformed."
        })
@SuppressWarnings("NullAway.Init") // picocli sets the fields
final class DecodeCommand implements Callable<Integer> {
    private static final int FAILED = 1;

    @Spec
    private CommandSpec spec;

    @Parameters(paramLabel = "FILE", description = "Capture of Ethernet, raw IP or Linux cooked frames.")
    private Path file;

    @Option(names = "--json", description = "Print one JSON object a line.")
    private boolean json;

    @Override
    public Integer call() {
        PrintWriter out = spec.commandLine().getOut();
        try (CaptureReader reader = CaptureReader.open(file)) {
            return decode(reader, out);
        } catch (NoSuchFileException e) {
            return fail("no such file");
        } catch (AccessDeniedException e) {
            return fail("permission denied");
        } catch (IOException e) {
            return fail(Objects.requireNonNullElse(e.getMessage(), e.toString()));
        }
    }

    /** Prints the counts even if the file turns out to be damaged: they say how far it could be read. */
    private int decode(CaptureReader reader, PrintWriter out) throws IOException {
        PacketPrinter printer = json ? new JsonPacketPrinter() : new TextPacketPrinter();
        CaptureTally tally = new CaptureTally();
        try {
            printPackets(reader, printer, tally, out);
        } finally {
            out.println(printer.summary(tally));
            out.flush();
        }
        return 0;
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
            tally.add(packet.verdict());
            if (packet.verdict() != Verdict.NOT_ROCE) {
                out.println(printer.packet(tally.packets(), frame.timeNs() - startNs, frame, packet));
            }
        }
    }

    private int fail(String reason) {
        PrintWriter err = spec.commandLine().getErr();
        err.println("decode: " + file + ": " + reason);
        err.flush();
        return FAILED;
    }
}
