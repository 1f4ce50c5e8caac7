// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.tools.diag;

import io.rdma4j.tools.report.HtmlReport;
import io.rdma4j.wire.mad.MadMethod;
import io.rdma4j.wire.mad.pm.PortCountersAttribute;
import io.rdma4j.wire.mad.pm.PortCountersExtended;
import io.rdma4j.wire.mad.table.MadAttribute;
import java.lang.foreign.MemorySegment;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.Deque;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Draws the nodes and links of a subnet as SVG: channel adapters at the bottom, each switch above the nearest ones. The
 * width of a link is the share of the data that its ports have sent, and links with errors are red.
 */
final class FabricPicture {
    private static final int CELL = 120;
    private static final int ROW = 130;
    private static final int MARGIN = 40;
    private static final int NODE_WIDTH = 100;
    private static final int NODE_HEIGHT = 36;
    private static final int WIDEST = 9;
    private static final long WORD_BYTES = 4;
    private static final double HALF = 0.5;

    /** What the ports of a link have counted. */
    private record Load(long bytes, Map<String, Long> errors) {}

    private record Link(FabricPort from, FabricPort to, Load load) {}

    private record Place(double x, double y) {}

    private final MadAccess mads;
    private final List<FabricNode> nodes;
    private final Map<FabricNode, Integer> layers = new HashMap<>();
    private final Map<FabricNode, Place> places = new HashMap<>();
    private final StringBuilder svg = new StringBuilder();
    private int unreadable;

    private FabricPicture(MadAccess mads, List<FabricNode> nodes) {
        this.mads = mads;
        this.nodes = nodes;
    }

    /** Returns the picture; reads the counters of all ports with a link. */
    static String of(FabricDiscovery fabric, MadAccess mads) {
        List<FabricNode> nodes = new ArrayList<>(fabric.nodes());
        nodes.sort(Comparator.comparing(FabricNode::description).thenComparingLong(FabricNode::guid));
        FabricPicture picture = new FabricPicture(mads, nodes);
        picture.rank();
        int widest = picture.place();
        return picture.draw(widest);
    }

    // Layout

    /** The layer of a node is its distance from the nearest channel adapter. */
    private void rank() {
        Deque<FabricNode> next = new ArrayDeque<>();
        for (FabricNode node : nodes) {
            if (!node.isSwitch()) {
                layers.put(node, 0);
                next.add(node);
            }
        }
        if (next.isEmpty()) {
            layers.put(nodes.getFirst(), 0);
            next.add(nodes.getFirst());
        }
        while (!next.isEmpty()) {
            FabricNode node = next.remove();
            for (FabricNode neighbour : neighbours(node)) {
                if (layers.putIfAbsent(neighbour, layer(node) + 1) == null) {
                    next.add(neighbour);
                }
            }
        }
    }

    private int layer(FabricNode node) {
        return layers.getOrDefault(node, 0);
    }

    private static List<FabricNode> neighbours(FabricNode node) {
        List<FabricNode> all = new ArrayList<>();
        for (FabricPort port : node.ports()) {
            FabricPort remote = port.remote();
            if (remote != null) {
                all.add(remote.node());
            }
        }
        return all;
    }

    /** Places leaves by name, what is below them by the port of the leaf, and the others above their neighbours. */
    private int place() {
        int top = layers.values().stream().mapToInt(layer -> layer).max().orElse(0);
        List<List<FabricNode>> rows = new ArrayList<>();
        for (int layer = 0; layer <= top; layer++) {
            int own = layer;
            rows.add(new ArrayList<>(
                    nodes.stream().filter(node -> layer(node) == own).toList()));
        }
        int widest = rows.stream().mapToInt(List::size).max().orElse(1);
        for (int layer = Math.min(1, top); layer <= top; layer++) {
            int below = layer - 1;
            if (layer > 1) {
                rows.get(layer).sort(Comparator.comparingDouble(node -> mean(node, below)));
            }
            place(rows.get(layer), layer, top, widest);
        }
        if (top > 0) {
            rows.getFirst()
                    .sort(Comparator.comparingDouble((FabricNode node) -> mean(node, 1))
                            .thenComparingInt(FabricPicture::port));
            place(rows.getFirst(), 0, top, widest);
        }
        return widest;
    }

    private void place(List<FabricNode> row, int layer, int top, int widest) {
        for (int i = 0; i < row.size(); i++) {
            double x = MARGIN + (i + HALF) * widest * CELL / row.size();
            places.put(row.get(i), new Place(x, MARGIN + (double) (top - layer) * ROW));
        }
    }

    private double mean(FabricNode node, int layer) {
        return neighbours(node).stream()
                .filter(neighbour -> layer(neighbour) == layer && places.containsKey(neighbour))
                .mapToDouble(neighbour -> placeOf(neighbour).x())
                .average()
                .orElse(0);
    }

    private static int port(FabricNode adapter) {
        return adapter.ports().stream()
                .map(FabricPort::remote)
                .mapToInt(remote -> remote == null ? 0 : remote.number())
                .min()
                .orElse(0);
    }

    private Place placeOf(FabricNode node) {
        Place place = places.get(node);
        if (place == null) {
            throw new IllegalStateException(node.description() + " has no place");
        }
        return place;
    }

    // Counters

    private List<Link> links() {
        List<Link> links = new ArrayList<>();
        for (FabricNode node : nodes) {
            for (FabricPort port : node.ports()) {
                FabricPort remote = port.remote();
                if (remote != null && isFirst(port, remote)) {
                    links.add(new Link(port, remote, load(port, remote)));
                }
            }
        }
        return links;
    }

    private static boolean isFirst(FabricPort port, FabricPort remote) {
        int order = Long.compareUnsigned(port.node().guid(), remote.node().guid());
        return order < 0 || order == 0 && port.number() <= remote.number();
    }

    private Load load(FabricPort... ends) {
        long bytes = 0;
        Map<String, Long> errors = new LinkedHashMap<>();
        for (FabricPort end : ends) {
            MemorySegment data = read(end, MadAttribute.PORT_COUNTERS_EXTENDED);
            bytes += data == null ? 0 : PortCountersExtended.XMIT_DATA.get(data, 0) * WORD_BYTES;
            MemorySegment counters = read(end, MadAttribute.PORT_COUNTERS);
            if (counters != null) {
                ErrorReport.errors(counters)
                        .forEach((name, count) -> errors.put(end.node().description() + " " + name, count));
            }
        }
        return new Load(bytes, errors);
    }

    private @Nullable MemorySegment read(FabricPort port, MadAttribute attribute) {
        MemorySegment request = MemorySegment.ofArray(new byte[ErrorReport.DATA_BYTES]);
        PortCountersAttribute.PORT_SELECT.put(request, 0, port.number());
        try {
            return port.lid() == 0
                    ? null
                    : mads.performance("counters", MadTarget.ofLid(port.lid()), MadMethod.GET, attribute, request);
        } catch (DiagFailure _) {
            unreadable++;
            return null;
        }
    }

    // Drawing

    private String draw(int widest) {
        List<Link> links = links();
        int top = layers.values().stream().mapToInt(layer -> layer).max().orElse(0);
        int width = 2 * MARGIN + widest * CELL;
        int height = 2 * MARGIN + top * ROW + NODE_HEIGHT + MARGIN;
        long most = links.stream().mapToLong(link -> link.load.bytes()).max().orElse(0);
        line(String.format(
                Locale.ROOT,
                "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%d\" viewBox=\"0 0 %d %d\""
                        + " font-family=\"sans-serif\" font-size=\"12\">",
                width,
                height,
                width,
                height));
        line("<rect width=\"100%\" height=\"100%\" fill=\"#fff\"/>");
        links.forEach(link -> draw(link, most));
        nodes.forEach(this::draw);
        line(String.format(
                Locale.ROOT,
                "<text x=\"%d\" y=\"%d\" fill=\"#555\">%s</text>",
                MARGIN,
                height - MARGIN / 2,
                "%d nodes, %d links; the widest link has sent %d bytes; red: errors%s"
                        .formatted(
                                nodes.size(),
                                links.size(),
                                most,
                                unreadable == 0 ? "" : "; " + unreadable + " counters not read")));
        line("</svg>");
        return svg.toString();
    }

    private void line(String text) {
        svg.append(text).append('\n');
    }

    private void draw(Link link, long most) {
        Place from = placeOf(link.from.node());
        Place to = placeOf(link.to.node());
        double width = 1 + (most == 0 ? 0 : (double) link.load.bytes() / most * (WIDEST - 1));
        String colour = !link.load.errors().isEmpty() ? "#c62828" : link.load.bytes() == 0 ? "#bbb" : "#3b6ea5";
        // A link within a layer goes below it.
        double bend = from.y() == to.y() ? ROW * HALF : 0;
        line(String.format(
                Locale.ROOT,
                "<path d=\"M%.1f %.1fQ%.1f %.1f %.1f %.1f\" fill=\"none\" stroke=\"%s\" stroke-width=\"%.1f\"%s>"
                        + "<title>%s</title></path>",
                from.x(),
                from.y() + NODE_HEIGHT * HALF,
                (from.x() + to.x()) * HALF,
                (from.y() + to.y() + NODE_HEIGHT) * HALF + bend,
                to.x(),
                to.y() + NODE_HEIGHT * HALF,
                colour,
                width,
                link.from.isDown() || link.to.isDown() ? " stroke-dasharray=\"4 3\"" : "",
                HtmlReport.escape(title(link))));
    }

    private static String title(Link link) {
        StringBuilder text = new StringBuilder("%s[%d] - %s[%d] %s, %d bytes"
                .formatted(
                        link.from.node().description(),
                        link.from.number(),
                        link.to.node().description(),
                        link.to.number(),
                        link.from.rate(),
                        link.load.bytes()));
        link.load.errors().forEach((name, count) -> text.append(", %s %d".formatted(name, count)));
        return text.toString();
    }

    private void draw(FabricNode node) {
        Place place = placeOf(node);
        int lid = node.isSwitch()
                ? node.switchLid()
                : node.ports().stream().mapToInt(FabricPort::lid).max().orElse(0);
        line(String.format(
                Locale.ROOT,
                "<g><title>%s guid 0x%x lid %d</title><rect x=\"%.1f\" y=\"%.1f\" width=\"%d\" height=\"%d\""
                        + " rx=\"%d\" fill=\"%s\" stroke=\"#333\"/>",
                HtmlReport.escape(node.description()),
                node.guid(),
                lid,
                place.x() - NODE_WIDTH * HALF,
                place.y(),
                NODE_WIDTH,
                NODE_HEIGHT,
                node.isSwitch() ? 0 : NODE_HEIGHT / 2,
                node.isSwitch() ? "#e3ecf7" : "#f4f0e4"));
        line(String.format(
                Locale.ROOT,
                "<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"middle\">%s</text></g>",
                place.x(),
                place.y() + NODE_HEIGHT * HALF + 4,
                HtmlReport.escape(node.description())));
    }
}
