// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.tools.diag;

import io.rdma4j.base.Errno;
import io.rdma4j.base.Gid;
import io.rdma4j.netlab.command.shell.Json;
import io.rdma4j.tools.cli.Option;
import io.rdma4j.tools.cli.Options;
import io.rdma4j.tools.cli.UsageException;
import io.rdma4j.verbs.Host;
import io.rdma4j.wire.mad.MadField;
import io.rdma4j.wire.mad.MadMethod;
import io.rdma4j.wire.mad.sa.LinkRecord;
import io.rdma4j.wire.mad.sa.McMemberRecord;
import io.rdma4j.wire.mad.sa.NodeRecord;
import io.rdma4j.wire.mad.sa.PathRecord;
import io.rdma4j.wire.mad.sa.SaHeader;
import io.rdma4j.wire.mad.sa.SmInfoRecord;
import io.rdma4j.wire.mad.sa.SwitchInfoRecord;
import io.rdma4j.wire.mad.sm.NodeInfo;
import java.io.PrintWriter;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** {@code saquery}: records of the subnet administrator. */
public final class SaqueryCommand extends DiagCommand {
    private static final int RECORD_BYTES = 200;
    private static final int UNIT = 8;
    private static final int SA_STATUS_SHIFT = 8;
    private static final List<String> SA_STATUS = List.of(
            "",
            "SA_ERR_NO_RESOURCES",
            "SA_ERR_REQ_INVALID",
            "SA_ERR_NO_RECORDS",
            "SA_ERR_TOO_MANY_RECORDS",
            "SA_ERR_REQ_INVALID_GID",
            "SA_ERR_REQ_INSUFFICIENT_COMPONENTS",
            "SA_ERR_REQ_DENIED");

    /** Records by name and alias. */
    private static final Map<String, SaDump> NAMES = Map.ofEntries(
            Map.entry("noderecord", SaDump.NODE),
            Map.entry("nr", SaDump.NODE),
            Map.entry("pathrecord", SaDump.PATH),
            Map.entry("pr", SaDump.PATH),
            Map.entry("linkrecord", SaDump.LINK),
            Map.entry("lr", SaDump.LINK),
            Map.entry("mcmemberrecord", SaDump.MEMBER),
            Map.entry("mcmr", SaDump.MEMBER),
            Map.entry("switchinforecord", SaDump.SWITCH),
            Map.entry("swir", SaDump.SWITCH),
            Map.entry("sminforecord", SaDump.MANAGER),
            Map.entry("smir", SaDump.MANAGER),
            Map.entry("classportinfo", SaDump.CLASS),
            Map.entry("cpi", SaDump.CLASS));

    /** @param host with the devices */
    public SaqueryCommand(Supplier<Host> host) {
        super(
                "saquery",
                """
                [options] [query-name|name|lid|guid] [keys]      records of the subnet administrator

                Records: NodeRecord (NR) [lid], PathRecord (PR), LinkRecord (LR) [[lid]/[port]] [[lid]/[port]],
                  MCMemberRecord (MCMR), SwitchInfoRecord (SWIR) [lid], SMInfoRecord (SMIR) [lid], ClassPortInfo (CPI)\
                """,
                host,
                "DGLsKy",
                Option.flag('p', "PathRecord", "get PathRecord"),
                Option.flag('N', "NodeRecord", "get NodeRecord"),
                Option.flag('D', "list", "list the channel adapters"),
                Option.flag('L', "Lid", "print LIDs only"),
                Option.flag('l', "unique-lid", "print the first LID only"),
                Option.flag('G', "Guid", "print the GUIDs of ports only"),
                Option.value('O', "name-for-lid", "lid", "print the name of the node with this LID"),
                Option.value('U', "name-for-guid", "guid", "print the name of the node with this GUID of a port"),
                Option.flag('g', "multicast-groups", "get multicast groups"),
                Option.flag('m', "multicast-members", "get members of multicast groups"),
                Option.flag('x', "link-records", "get LinkRecord"),
                Option.flag('c', "class-port-info", "get ClassPortInfo of the administrator"),
                Option.value(Option.NO_LETTER, "src-to-dst", "src:dst", "paths between two nodes, by LID or name"),
                Option.value(Option.NO_LETTER, "slid", "lid", "source LID of paths"),
                Option.value(Option.NO_LETTER, "dlid", "lid", "destination LID of paths"),
                Option.value(Option.NO_LETTER, "sgid", "gid", "source GID of paths"),
                Option.value(Option.NO_LETTER, "dgid", "gid", "destination GID of paths"),
                Option.value(Option.NO_LETTER, "numb_path", "number", "number of paths"),
                Option.value(Option.NO_LETTER, "pkey", "pkey", "P_Key of paths and groups"),
                Option.value(Option.NO_LETTER, "mgid", "gid", "GID of a multicast group"),
                Option.value(Option.NO_LETTER, "mlid", "mlid", "LID of a multicast group"));
    }

    @Override
    int run(MadAccess mads, Options options, PrintWriter out, PrintWriter err) throws DiagFailure {
        try {
            new Query(mads, options, out).run();
            return 0;
        } catch (DiagFailure e) {
            int status = e.status();
            if (status > 0) {
                int code = status >> SA_STATUS_SHIFT;
                String name = code < SA_STATUS.size() ? SA_STATUS.get(code) : "";
                err.println("ERROR: Query result returned 0x%04x,  SA(%s)".formatted(status, name));
                return Errno.EIO.code();
            }
            if (status < 0) {
                err.println("Query SA failed: Connection timed out");
                return Errno.ETIMEDOUT.code();
            }
            throw e;
        }
    }

    /** A table of records. */
    private record Answer(MemorySegment memory, List<Long> offsets) {}

    /** One run of the tool. */
    private static final class Query {
        private final MadAccess mads;
        private final Options options;
        private final PrintWriter out;
        private final MemorySegment wanted = MemorySegment.ofArray(new byte[RECORD_BYTES]);
        private long mask;

        Query(MadAccess mads, Options options, PrintWriter out) {
            this.mads = mads;
            this.options = options;
            this.out = out;
        }

        private List<String> operands() {
            return options.operands();
        }

        void run() throws DiagFailure {
            if (options.has("multicast-members")) {
                members();
            } else {
                SaDump dump = chosen();
                if (dump.equals(SaDump.NODE) && !isNamed()) {
                    nodes();
                } else {
                    select(dump);
                    show(dump, ask(dump, dump.equals(SaDump.CLASS) ? MadMethod.GET : MadMethod.GET_TABLE));
                }
            }
        }

        private boolean isNamed() {
            return !operands().isEmpty()
                    && NAMES.containsKey(operands().getFirst().toLowerCase(Locale.ROOT));
        }

        private SaDump chosen() {
            if (options.has("PathRecord") || options.has("src-to-dst")) {
                return SaDump.PATH;
            }
            if (options.has("multicast-groups")) {
                return SaDump.GROUP;
            }
            if (options.has("link-records")) {
                return SaDump.LINK;
            }
            if (options.has("class-port-info")) {
                return SaDump.CLASS;
            }
            if (operands().isEmpty()) {
                return SaDump.NODE;
            }
            return NAMES.getOrDefault(operands().getFirst().toLowerCase(Locale.ROOT), SaDump.NODE);
        }

        // Requests

        private void set(MadField field, long value) {
            field.put(wanted, 0, value);
            mask |= field.componentMask();
        }

        private void set(String option, MadField field) {
            String text = options.text(option);
            if (text != null) {
                set(field, number(option, text));
            }
        }

        private void setGid(String option, MadField field) {
            String text = options.text(option);
            if (text != null) {
                try {
                    field.put(wanted, 0, Gid.parse(text));
                } catch (RuntimeException _) {
                    throw new UsageException("'" + text + "' is no GID");
                }
                mask |= field.componentMask();
            }
        }

        private void select(SaDump dump) throws DiagFailure {
            String key = isNamed() && operands().size() > 1 ? operands().get(1) : null;
            switch (dump.attribute()) {
                case PATH_RECORD -> selectPaths();
                case MC_MEMBER_RECORD -> {
                    setGid("mgid", McMemberRecord.MGID);
                    set("mlid", McMemberRecord.MLID);
                    set("pkey", McMemberRecord.PKEY);
                }
                case LINK_RECORD -> {
                    ends(key, LinkRecord.FROM_LID, LinkRecord.FROM_PORT);
                    ends(operands().size() > 2 ? operands().get(2) : null, LinkRecord.TO_LID, LinkRecord.TO_PORT);
                }
                case NODE_RECORD -> ends(key, NodeRecord.LID, null);
                case SWITCH_INFO_RECORD -> ends(key, SwitchInfoRecord.LID, null);
                case SM_INFO_RECORD -> ends(key, SmInfoRecord.LID, null);
                default -> {}
            }
        }

        private void selectPaths() throws DiagFailure {
            set("slid", PathRecord.SLID);
            set("dlid", PathRecord.DLID);
            setGid("sgid", PathRecord.SGID);
            setGid("dgid", PathRecord.DGID);
            set("numb_path", PathRecord.NUMB_PATH);
            set("pkey", PathRecord.PKEY);
            String ends = options.text("src-to-dst");
            if (ends != null) {
                String[] words = ends.split(":", 2);
                if (words.length != 2) {
                    throw new UsageException("--src-to-dst wants src:dst, not '" + ends + "'");
                }
                set(PathRecord.SLID, lid(words[0]));
                set(PathRecord.DLID, lid(words[1]));
            }
        }

        /** Returns the LID that a word is, or that of the node with this name. */
        private long lid(String word) throws DiagFailure {
            if (!word.isEmpty() && Character.isDigit(word.charAt(0))) {
                return number("lid", word);
            }
            Query other = new Query(mads, options, out);
            Answer answer = other.ask(SaDump.NODE, MadMethod.GET_TABLE);
            for (long at : answer.offsets()) {
                if (NodeRecord.NODE_DESCRIPTION.text(answer.memory(), at).equals(word)) {
                    return NodeRecord.LID.get(answer.memory(), at);
                }
            }
            throw new DiagFailure("Failed to find lid for \"" + word + "\"");
        }

        private void ends(@Nullable String key, MadField lid, @Nullable MadField port) {
            if (key == null) {
                return;
            }
            String[] words = key.split("/", 2);
            if (!words[0].isEmpty()) {
                set(lid, number("lid", words[0]));
            }
            if (port != null && words.length > 1 && !words[1].isEmpty()) {
                set(port, number("port", words[1]));
            }
        }

        private Answer ask(SaDump dump, MadMethod method) throws DiagFailure {
            MemorySegment response = mads.administration("query", 0, method, dump.attribute(), mask, wanted);
            int distance = SaHeader.ATTRIBUTE_OFFSET.getInt(response, SaHeader.OFFSET) * UNIT;
            List<Long> offsets = new ArrayList<>();
            if (method == MadMethod.GET) {
                offsets.add((long) SaHeader.DATA);
            } else if (distance > 0) {
                for (long at = SaHeader.DATA; at + distance <= response.byteSize(); at += distance) {
                    offsets.add(at);
                }
            }
            return new Answer(response, offsets);
        }

        // Output

        private void show(SaDump dump, Answer answer) {
            if (options.has("json")) {
                out.println(Json.text(answer.offsets().stream()
                        .map(at -> dump.json(answer.memory(), at))
                        .toList()));
                return;
            }
            for (long at : answer.offsets()) {
                dump.lines(answer.memory(), at).forEach(out::println);
            }
        }

        /** Prints the node records that the user wants. */
        private void nodes() throws DiagFailure {
            Answer answer = ask(SaDump.NODE, MadMethod.GET_TABLE);
            MemorySegment memory = answer.memory();
            boolean isList = options.has("list");
            if (isList) {
                out.println("   LID \"name\"");
                out.println("================");
            }
            List<Long> chosen =
                    answer.offsets().stream().filter(at -> isWanted(memory, at)).toList();
            if (options.has("json")) {
                show(SaDump.NODE, new Answer(memory, chosen));
                return;
            }
            for (long at : chosen) {
                if (isList) {
                    if (NodeInfo.NODE_TYPE.getInt(memory, at + NodeRecord.NODE_INFO) == FabricNode.ADAPTER) {
                        out.println("%6d  \"%s\"".formatted(NodeRecord.LID.get(memory, at), name(memory, at)));
                    }
                } else {
                    node(memory, at);
                    if (options.has("unique-lid")) {
                        return;
                    }
                }
            }
        }

        private static String name(MemorySegment memory, long at) {
            return NodeRecord.NODE_DESCRIPTION.text(memory, at);
        }

        private static long portGuid(MemorySegment memory, long at) {
            return NodeInfo.PORT_GUID.get(memory, at + NodeRecord.NODE_INFO);
        }

        private boolean isWanted(MemorySegment memory, long at) {
            String lid = options.text("name-for-lid");
            String guid = options.text("name-for-guid");
            if (lid != null) {
                return NodeRecord.LID.get(memory, at) == number("lid", lid);
            }
            if (guid != null) {
                return portGuid(memory, at) == number("guid", guid);
            }
            return operands().isEmpty() || operands().getFirst().equals(name(memory, at));
        }

        private void node(MemorySegment memory, long at) {
            if (options.has("Lid") || options.has("unique-lid")) {
                out.println(NodeRecord.LID.get(memory, at));
            } else if (options.has("Guid")) {
                out.println("0x%016x".formatted(portGuid(memory, at)));
            } else if (options.has("name-for-lid") || options.has("name-for-guid")) {
                out.println(name(memory, at));
            } else {
                SaDump.NODE.lines(memory, at).forEach(out::println);
            }
        }

        /** Prints the members of all groups with the names of their nodes. */
        private void members() throws DiagFailure {
            Answer groups = ask(SaDump.GROUP, MadMethod.GET_TABLE);
            Answer nodes = ask(SaDump.NODE, MadMethod.GET_TABLE);
            Map<Long, String> names = new HashMap<>();
            nodes.offsets().forEach(at -> names.put(portGuid(nodes.memory(), at), name(nodes.memory(), at)));
            if (options.has("json")) {
                show(SaDump.MEMBER, groups);
                return;
            }
            MemorySegment memory = groups.memory();
            for (long at : groups.offsets()) {
                Gid member = McMemberRecord.PORT_GID.gid(memory, at);
                String name = names.getOrDefault(member.interfaceId(), "<unknown>");
                if (!operands().isEmpty()) {
                    if (number("mlid", operands().getFirst()) == McMemberRecord.MLID.get(memory, at)) {
                        out.println("\t\tPortGid................." + member + " (" + name + ")");
                    }
                    continue;
                }
                out.println("MCMemberRecord member dump:");
                out.println("\t\tMGID...................." + McMemberRecord.MGID.gid(memory, at));
                out.println("\t\tMlid....................0x%X".formatted(McMemberRecord.MLID.get(memory, at)));
                out.println("\t\tPortGid................." + member);
                out.println("\t\tScopeState..............0x%X"
                        .formatted(
                                McMemberRecord.SCOPE.get(memory, at) << 4 | McMemberRecord.JOIN_STATE.get(memory, at)));
                out.println(
                        "\t\tProxyJoin...............0x%X".formatted(McMemberRecord.PROXY_JOIN.get(memory, at) << 7));
                out.println("\t\tNodeDescription........." + name);
            }
        }
    }
}
