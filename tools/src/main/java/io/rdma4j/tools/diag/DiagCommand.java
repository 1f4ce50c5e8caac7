// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.tools.diag;

import io.rdma4j.base.Gid;
import io.rdma4j.tools.cli.GetoptCommand;
import io.rdma4j.tools.cli.Option;
import io.rdma4j.tools.cli.Options;
import io.rdma4j.tools.cli.UsageException;
import io.rdma4j.verbs.Context;
import io.rdma4j.verbs.Device;
import io.rdma4j.verbs.Host;
import io.rdma4j.verbs.device.LinkLayer;
import io.rdma4j.verbs.device.PortState;
import io.rdma4j.verbs.values.Owner;
import io.rdma4j.wire.mad.MadMethod;
import io.rdma4j.wire.mad.sa.PathRecord;
import io.rdma4j.wire.mad.sa.SaHeader;
import io.rdma4j.wire.mad.table.MadAttribute;
import java.io.PrintWriter;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** A tool on a port of an InfiniBand subnet: its common options, the port, and the messages of its failures. */
abstract class DiagCommand extends GetoptCommand {
    /** Exit code after a failure. */
    static final int FAILED = 255;

    private static final int MAX_LID = 0xFFFF;
    private static final int WRONG_USAGE = 2;
    private static final int MAX_PORT = 254;

    private static final List<Option> COMMON = List.of(
            Option.value('C', "Ca", "ca", "name of the device"),
            Option.value('P', "Port", "port", "number of the port"),
            Option.flag('D', "Direct", "the address is a directed route, such as 0,1,5"),
            Option.flag('L', "Lid", "the address is a LID"),
            Option.flag('G', "Guid", "the address is the GUID of a port"),
            Option.value('t', "timeout", "ms", "time for a response"),
            Option.value('s', "sm_port", "lid", "LID of the subnet manager"),
            Option.value('y', "m_key", "key", "M_Key of requests"),
            Option.flag('K', "show_keys", "show keys"),
            Option.flag('e', "errors", "show errors of requests"),
            Option.flag('v', "verbose", "say more"),
            Option.JSON);

    private final Supplier<Host> host;
    private final String synopsis;

    /**
     * @param synopsis operands and summary
     * @param without letters of common options that the tool does not have
     * @param own options of the tool
     */
    DiagCommand(String name, String synopsis, Supplier<Host> host, String without, Option... own) {
        this(name, synopsis, host, without, List.of(), own);
    }

    /**
     * @param synopsis operands and summary
     * @param without letters of common options that the tool does not have
     * @param shared options that the tool shares with some others
     * @param own options of the tool
     */
    DiagCommand(String name, String synopsis, Supplier<Host> host, String without, List<Option> shared, Option... own) {
        super(name, WRONG_USAGE, all(without, shared, own));
        this.synopsis = synopsis;
        this.host = host;
    }

    private static Option[] all(String without, List<Option> shared, Option... own) {
        List<Option> options = new ArrayList<>(shared);
        options.addAll(List.of(own));
        COMMON.stream()
                .filter(option -> option.letter() == Option.NO_LETTER || without.indexOf(option.letter()) < 0)
                .forEach(options::add);
        return options.toArray(Option[]::new);
    }

    @Override
    protected final String synopsis() {
        return "Usage: " + name() + " " + synopsis;
    }

    @Override
    protected final int run(Options options, PrintWriter out, PrintWriter err) {
        try (Context context = open(options)) {
            int timeoutMs = options.number("timeout", MadAccess.DEFAULT_TIMEOUT_MS, 1, Integer.MAX_VALUE);
            String key = options.text("m_key");
            try (MadAccess mads =
                    new MadAccess(context, port(context, options), timeoutMs, key == null ? 0 : number("m_key", key))) {
                return run(mads, options, out, err);
            }
        } catch (DiagFailure e) {
            report(e, options, out, err);
            return FAILED;
        }
    }

    /** Executes the tool; returns its exit code. */
    abstract int run(MadAccess mads, Options options, PrintWriter out, PrintWriter err) throws DiagFailure;

    /** Prints the failure to standard output, as the originals do. */
    private void report(DiagFailure failure, Options options, PrintWriter out, PrintWriter err) {
        String warning = failure.warning();
        boolean isTimeout = warning != null && warning.contains("_do_madrpc");
        if (isTimeout) {
            warn("_do_madrpc: recv failed: Connection timed out", err);
        }
        if (warning != null && (isTimeout || options.has("errors"))) {
            warn(warning, err);
        }
        out.println(name() + ": iberror: failed: " + failure.getMessage());
    }

    /** Prints a warning of the library of the original. */
    static void warn(String text, PrintWriter err) {
        err.println("ibwarn: [" + ProcessHandle.current().pid() + "] " + text);
    }

    // The port

    private Context open(Options options) throws DiagFailure {
        String wanted = options.text("Ca");
        Device first = null;
        for (Device device : host.get().devices()) {
            if (wanted != null) {
                if (device.name().equals(wanted)) {
                    return device.open(Owner.current());
                }
                continue;
            }
            try (Context context = device.openToQuery()) {
                int port = port(context, options);
                if (context.linkLayer(port) == LinkLayer.INFINIBAND) {
                    if (context.queryPort(port).state() == PortState.ACTIVE) {
                        return device.open(Owner.current());
                    }
                    first = first == null ? device : first;
                }
            }
        }
        if (first != null) {
            return first.open(Owner.current());
        }
        throw new DiagFailure(
                wanted == null
                        ? "no device has an InfiniBand port"
                        : "Failed to open '" + wanted + "': no such device");
    }

    private static int port(Context context, Options options) {
        int count = context.queryDevice().physicalPortCount();
        return options.number("Port", 1, 1, Math.max(1, Math.min(count, MAX_PORT)));
    }

    // Addresses

    /**
     * Returns the destination that a word names.
     *
     * @param second word of a combined route: the directed part; null for none
     */
    static MadTarget target(MadAccess mads, Options options, String word, @Nullable String second) throws DiagFailure {
        if (second != null) {
            return MadTarget.combined(lid(word), mads.port().lid(), second);
        }
        if (options.has("Direct")) {
            return MadTarget.directed(word);
        }
        if (!options.has("Guid")) {
            return MadTarget.ofLid(lid(word));
        }
        MemorySegment wanted = MemorySegment.ofArray(new byte[PathRecord.LAYOUT.bytes()]);
        Gid own = mads.context().queryGid(mads.portNumber(), 0);
        PathRecord.SGID.put(wanted, 0, own);
        PathRecord.DGID.put(wanted, 0, new Gid(own.prefix(), number("Guid", word)));
        PathRecord.NUMB_PATH.put(wanted, 0, 1);
        long mask = PathRecord.SGID.componentMask()
                | PathRecord.DGID.componentMask()
                | PathRecord.NUMB_PATH.componentMask();
        MemorySegment answer = mads.administration(
                "can't resolve destination port " + word,
                options.number("sm_port", 0, 1, MAX_LID),
                MadMethod.GET,
                MadAttribute.PATH_RECORD,
                mask,
                wanted);
        return MadTarget.ofLid(PathRecord.DLID.getInt(answer, SaHeader.DATA));
    }

    private static int lid(String word) {
        long lid = number("address", word);
        if (lid < 1 || lid > MAX_LID) {
            throw new UsageException("'" + word + "' is no LID");
        }
        return (int) lid;
    }

    /** Returns a number: decimal, {@code 0x} hexadecimal or {@code 0} octal, of up to 64 bits. */
    static long number(String name, String word) {
        try {
            return word.startsWith("0x") || word.startsWith("0X")
                    ? Long.parseUnsignedLong(word.substring(2), 16)
                    : Long.decode(word);
        } catch (NumberFormatException _) {
            throw new UsageException("'" + word + "' is no number for " + name);
        }
    }
}
