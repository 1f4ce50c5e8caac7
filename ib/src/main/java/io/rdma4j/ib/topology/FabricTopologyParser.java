// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.ib.topology;

import io.rdma4j.base.Errno;
import io.rdma4j.base.RdmaException;
import io.rdma4j.fabric.LinkModes;
import io.rdma4j.ib.topology.FabricTopology.Cable;
import io.rdma4j.ib.topology.FabricTopology.End;
import io.rdma4j.ib.topology.FabricTopology.Node;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Reads topology files of ibsim, whose syntax is that of the output of {@code ibnetdiscover}.
 *
 * <pre>
 * Switch 8 "leaf1"
 * [1] "host1"[1]
 *
 * Hca 1 "host1"
 * [1] "leaf1"[1]
 * </pre>
 *
 * A blank line ends a node. Vendors and aliases are read over. Ports have 4X SDR, unless the line says otherwise: by
 * the options {@code w= s= e=} of ibsim, or by the width and speed at its end, such as 4xQDR.
 */
public final class FabricTopologyParser {
    private static final int MAX_PORTS = 254;
    private static final int HEX = 16;
    private static final Pattern NODE =
            Pattern.compile("(\\w+)\\s+(\\d+)\\s+\"([^\"]*)\"\\s*(?:#\\s*\"([^\"]*)\".*|.*)");
    private static final Pattern PORT =
            Pattern.compile("\\[(\\d+)](?:\\([0-9a-fA-Fx]+\\))?\\s+\"([^\"]*)\"(?:\\[(\\d+)])?(.*)");
    private static final Pattern GUID =
            Pattern.compile("(?:switchguid|caguid|hcaguids)\\s*=\\s*(?:0x)?([0-9a-fA-F]+).*");
    private static final Pattern IGNORED = Pattern.compile("(?:vendid|devid|sysimgguid|rtguid|module)\\s*[=+].*|@.*");
    private static final Pattern DEFAULT = Pattern.compile("(width|speed|extspeed)\\s*=\\s*(\\d+).*");
    private static final Pattern DEVICE_NAME = Pattern.compile("[A-Za-z0-9_.-]{1,63}");
    private static final Pattern FIRST_LINE = Pattern.compile("(?:Switch|Hca|Ca)\\s+\\d+\\s+\".*");

    private final String file;
    private final List<Node> nodes = new ArrayList<>();
    private final Map<String, String> namesOfIds = new HashMap<>();
    private final Set<String> names = new HashSet<>();
    /** By the port at which the line stands. */
    private final Map<End, Line> lines = new LinkedHashMap<>();

    private final Map<End, LinkModes> modes = new HashMap<>();
    private final ModeWords modeWords = new ModeWords();

    private @Nullable Node present;
    private String presentId = "";
    private long guid;
    private int number;

    /** A line that says where a cable leads. */
    private record Line(int number, String remoteId, int remotePort) {}

    private FabricTopologyParser(String file) {
        this.file = file;
    }

    /**
     * {@return true if a text has a line that begins a node}
     *
     * @param text of a topology file
     */
    public static boolean recognizes(String text) {
        return text.lines().anyMatch(line -> FIRST_LINE.matcher(line.strip()).matches());
    }

    /**
     * {@return the topology of a file}
     *
     * @param file name for messages
     * @param text content of the file
     * @throws RdmaException EINVAL with line and reason
     */
    public static FabricTopology parse(String file, String text) {
        FabricTopologyParser parser = new FabricTopologyParser(file);
        for (String line : text.lines().toList()) {
            parser.number++;
            parser.line(line.strip());
        }
        List<Cable> cables = parser.cables();
        parser.modes.values().removeIf(LinkModes.X4_SDR::equals);
        return new FabricTopology(parser.nodes, cables, parser.modes);
    }

    private RdmaException invalid(int line, String reason) {
        return new RdmaException(Errno.EINVAL, file + ":" + line + ": " + reason);
    }

    private void line(String line) {
        if (line.isEmpty()) {
            present = null;
            return;
        }
        if (line.startsWith("#") || IGNORED.matcher(line).matches()) {
            return;
        }
        Matcher guids = GUID.matcher(line);
        Matcher defaults = DEFAULT.matcher(line);
        if (defaults.matches()) {
            modeWords.setDefault(defaults.group(1), number(defaults.group(2)));
        } else if (guids.matches()) {
            guid = Long.parseUnsignedLong(guids.group(1), HEX);
        } else if (line.startsWith("[")) {
            port(line);
        } else {
            node(line);
        }
    }

    private void node(String line) {
        Matcher words = NODE.matcher(line);
        if (!words.matches()) {
            throw invalid(number, "'" + line + "' is neither a node such as 'Switch 8 \"leaf1\"' nor a port '[1] …'");
        }
        String kind = words.group(1);
        boolean isSwitch = kind.equals("Switch");
        if (!isSwitch && !kind.equals("Hca") && !kind.equals("Ca")) {
            throw invalid(number, "a node is a Switch, Hca or Ca, not a " + kind);
        }
        int ports = number(words.group(2));
        if (ports < 1 || ports > MAX_PORTS) {
            throw invalid(number, "a node has 1 to " + MAX_PORTS + " ports, not " + words.group(2));
        }
        presentId = words.group(3);
        Node node = new Node(name(words.group(4), isSwitch), isSwitch, ports, guid);
        if (namesOfIds.put(presentId, node.name()) != null || !names.add(node.name())) {
            throw invalid(number, "there is a node \"" + presentId + "\" already");
        }
        guid = 0;
        nodes.add(node);
        present = node;
    }

    /** The description, if it can name the node and its device; otherwise the id. */
    private String name(@Nullable String description, boolean isSwitch) {
        if (description != null
                && !description.isEmpty()
                && !names.contains(description)
                && (isSwitch || DEVICE_NAME.matcher(description).matches())) {
            return description;
        }
        if (!isSwitch && !DEVICE_NAME.matcher(presentId).matches()) {
            throw invalid(number, "\"" + presentId + "\" is no name of a device: 1 to 63 letters, digits, _ . -");
        }
        return presentId;
    }

    private int number(String digits) {
        try {
            return Integer.parseInt(digits);
        } catch (NumberFormatException _) {
            throw invalid(number, digits + " is too large");
        }
    }

    private void port(String line) {
        Node node = present;
        Matcher words = PORT.matcher(line);
        if (!words.matches()) {
            throw invalid(number, "'" + line + "' is no port such as '[1] \"leaf1\"[5]'");
        }
        if (node == null) {
            throw invalid(number, "a port follows the line of its node");
        }
        End end = new End(node.name(), number(words.group(1)));
        requirePort(end, node, number);
        int remotePort = words.group(3) == null ? 1 : number(words.group(3));
        if (lines.put(end, new Line(number, words.group(2), remotePort)) != null) {
            throw invalid(number, "port " + end.port() + " of \"" + node.name() + "\" has a cable already");
        }
        try {
            modes.put(end, modeWords.modes(words.group(4)));
        } catch (RdmaException _) {
            throw invalid(number, "a port has widths w=1..31, speeds s=0..7 and extended speeds e=0..7");
        }
    }

    private void requirePort(End end, Node node, int line) {
        int last = node.isSwitch() ? node.ports() : 1;
        if (end.port() < 1 || end.port() > last) {
            String which = node.isSwitch() ? "a port 1 to " + last : "a usable port 1 only";
            throw invalid(line, "\"" + node.name() + "\" has " + which + ", not " + end.port());
        }
    }

    /** Both ends name each other, or one of them names the other, which then has the same widths and speeds. */
    private List<Cable> cables() {
        List<Cable> cables = new ArrayList<>();
        Set<End> used = new HashSet<>();
        for (Map.Entry<End, Line> entry : lines.entrySet()) {
            End here = entry.getKey();
            Line line = entry.getValue();
            End there = remote(line);
            Line back = lines.get(there);
            if (there.equals(here)) {
                throw invalid(line.number(), "a cable from a port to itself");
            }
            if (back != null && !remote(back).equals(here)) {
                throw invalid(
                        line.number(),
                        "port " + there.port() + " of \"" + there.node() + "\" leads elsewhere in line "
                                + back.number());
            }
            if (back != null && used.contains(here)) {
                continue; // the line of the other end has made the cable
            }
            if (!used.add(here) || !used.add(there)) {
                throw invalid(
                        line.number(), "port " + there.port() + " of \"" + there.node() + "\" has a cable already");
            }
            if (back == null) {
                modes.put(there, Objects.requireNonNull(modes.get(here)));
            }
            cables.add(new Cable(here, there));
        }
        return cables;
    }

    private End remote(Line line) {
        String name = namesOfIds.get(line.remoteId());
        if (name == null) {
            throw invalid(line.number(), "there is no node \"" + line.remoteId() + "\"");
        }
        Node node = nodes.stream()
                .filter(one -> one.name().equals(name))
                .findFirst()
                .orElseThrow();
        End end = new End(name, line.remotePort());
        requirePort(end, node, line.number());
        return end;
    }
}
