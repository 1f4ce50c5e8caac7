// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.sm;

import io.rdma4j.base.Errno;
import io.rdma4j.base.RdmaException;
import io.rdma4j.sm.SubnetPartition.Membership;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Reads partition files in the syntax of OpenSM ({@code partitions.conf}): {@code NAME=PKEY[, FLAG]... : PORT[=full|
 * limited][, PORT]... ;} with comments behind {@code #}. Partitions of one name or P_Key are one. All ports are limited
 * members of the default partition and the manager is a full one, unless a rule says otherwise. Not supported are the
 * membership {@code both}, and groups behind {@code mgid=}.
 */
public final class PartitionParser {
    private static final int KEY_BITS = 0x7FFF;
    private static final int MAX_KEY = 0xFFFF;
    private static final long MAX_NUMBER = 0xFFFF_FFFFL;
    private static final String DEFAULT_NAME = "Default";
    private static final String FLAGS =
            "indx0, ipoib, defmember=, rate=, mtu=, sl=, scope=, Q_Key=, tclass= and FlowLabel=";

    private final String file;
    private final long self;
    private final Map<String, Rule> byName = new HashMap<>();
    private final Map<Integer, Rule> byKey = new LinkedHashMap<>();

    /** A word and the line on which it begins. */
    private record Word(String text, int line) {
        /** The part in front of the equals sign. */
        String key() {
            int at = text.indexOf('=');
            return (at < 0 ? text : text.substring(0, at)).strip();
        }

        /** The part behind the equals sign; empty without one. */
        String value() {
            int at = text.indexOf('=');
            return at < 0 ? "" : text.substring(at + 1).strip();
        }
    }

    /** What the rules of a partition say together. */
    private static final class Rule {
        final int pkey;
        final Map<Long, Membership> members = new LinkedHashMap<>();
        Membership adapters = Membership.NONE;
        Membership switches = Membership.NONE;

        @Nullable
        BroadcastGroup broadcast;

        Rule(int pkey) {
            this.pkey = pkey;
        }

        /** Full membership is stronger than a limited one. */
        static Membership stronger(Membership one, Membership other) {
            return one.compareTo(other) > 0 ? one : other;
        }

        void add(long guid, Membership membership) {
            members.merge(guid, membership, Rule::stronger);
        }

        SubnetPartition partition() {
            Membership everywhere = adapters.compareTo(switches) < 0 ? adapters : switches;
            members.replaceAll((_, membership) -> stronger(membership, everywhere));
            return new SubnetPartition(pkey, adapters, switches, members, broadcast);
        }
    }

    private PartitionParser(String file, long self) {
        this.file = file;
        this.self = self;
    }

    /**
     * {@return the partitions of a file, the default one first}
     *
     * @param file name for messages
     * @param text content of the file
     * @param self GUID of the port of the manager, for {@code SELF}
     * @throws RdmaException EINVAL with line and reason
     */
    public static List<SubnetPartition> parse(String file, String text, long self) {
        PartitionParser parser = new PartitionParser(file, self);
        Rule everyone = new Rule(SubnetPartition.DEFAULT);
        everyone.adapters = Membership.LIMITED;
        everyone.switches = Membership.LIMITED;
        everyone.add(self, Membership.FULL);
        parser.byKey.put(everyone.pkey, everyone);
        parser.byName.put(DEFAULT_NAME, everyone);
        parser.statements(text);
        return parser.byKey.values().stream().map(Rule::partition).toList();
    }

    private RdmaException invalid(int line, String reason) {
        return new RdmaException(Errno.EINVAL, file + ":" + line + ": " + reason);
    }

    /** Splits the text: a statement has words in front of a colon, words behind it, and a semicolon. */
    private void statements(String text) {
        List<Word> definition = new ArrayList<>();
        List<Word> ports = new ArrayList<>();
        boolean isBehindColon = false;
        StringBuilder word = new StringBuilder();
        int line = 1;
        int first = 1;
        boolean isComment = false;
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            isComment = c == '#' || isComment && c != '\n';
            if (c == '\n') {
                line++;
            }
            if (isComment) {
                continue;
            }
            if (c != ',' && c != ':' && c != ';') {
                first = word.toString().isBlank() ? line : first;
                word.append(c);
                continue;
            }
            (isBehindColon ? ports : definition).add(new Word(word.toString().strip(), first));
            word.setLength(0);
            if (c == ':' && isBehindColon) {
                throw invalid(
                        line, "a second ':'; is the ';' of the rule before missing? Groups (mgid=) are not supported");
            }
            if (c == ';') {
                if (!isBehindColon) {
                    throw invalid(line, "a rule without ':', behind which its ports are");
                }
                statement(definition, ports);
                definition.clear();
                ports.clear();
            }
            isBehindColon = c == ':' || isBehindColon && c == ',';
        }
        if (!word.toString().isBlank() || !definition.isEmpty()) {
            throw invalid(first, "the last rule has no ';'");
        }
    }

    private void statement(List<Word> definition, List<Word> ports) {
        Rule rule = rule(definition.getFirst());
        Membership membership = Membership.LIMITED;
        BroadcastGroup group = BroadcastGroup.DEFAULT;
        boolean hasGroup = false;
        for (Word flag : definition.subList(1, definition.size())) {
            switch (flag.key()) {
                case "ipoib" -> hasGroup = true;
                case "indx0" -> {
                    if (rule.pkey != SubnetPartition.DEFAULT) {
                        throw invalid(flag.line(), "indx0: index 0 has the default partition");
                    }
                }
                case "defmember" -> membership = membership(flag);
                default -> group = with(group, flag);
            }
        }
        if (hasGroup) {
            rule.broadcast = group;
        }
        for (Word port : ports) {
            if (!port.text().isEmpty()) {
                port(rule, port, port.value().isEmpty() ? membership : membership(port));
            } else if (ports.size() > 1) {
                throw invalid(port.line(), "a port is missing between two commas");
            }
        }
    }

    /** The partition of a name, or of a P_Key. */
    private Rule rule(Word first) {
        String name = first.key();
        Rule known = byName.get(name);
        int pkey = 0;
        if (!first.value().isEmpty()) {
            long value = number(first);
            pkey = (int) value & KEY_BITS;
            if (value > MAX_KEY) {
                throw invalid(first.line(), "P_Key " + first.value() + " has more than 16 bits");
            }
            if (pkey == 0) {
                throw invalid(first.line(), "P_Key " + first.value() + ": the low 15 bits are 0");
            }
        } else if (name.isEmpty()) {
            throw invalid(first.line(), "a rule begins with the name of a partition");
        }
        if (known != null && pkey != 0 && known.pkey != pkey) {
            throw invalid(
                    first.line(),
                    "partition " + name + " has the P_Key 0x" + Integer.toHexString(known.pkey) + " already");
        }
        if (known == null) {
            known = byKey.computeIfAbsent(pkey == 0 ? freeKey() : pkey, Rule::new);
            if (!name.isEmpty()) {
                byName.put(name, known);
            }
        }
        return known;
    }

    /** The P_Key of a partition without one: the lowest that no partition above has. */
    private int freeKey() {
        int key = 1;
        while (byKey.containsKey(key)) {
            key++;
        }
        return key;
    }

    /** A number of 32 bits. */
    private long number(Word word) {
        long value;
        try {
            value = Long.decode(word.value().toLowerCase(Locale.ROOT));
        } catch (NumberFormatException e) {
            throw invalid(word.line(), "'" + word.text() + "' has no number behind '='");
        }
        if (value < 0 || value > MAX_NUMBER) {
            throw invalid(word.line(), "'" + word.text() + "': the number is not in 0.." + MAX_NUMBER);
        }
        return value;
    }

    private Membership membership(Word word) {
        return switch (word.value()) {
            case "full" -> Membership.FULL;
            case "limited" -> Membership.LIMITED;
            default ->
                throw invalid(
                        word.line(), "'" + word.text() + "': a membership is full or limited; both is not supported");
        };
    }

    private BroadcastGroup with(BroadcastGroup group, Word flag) {
        String name = flag.key().toLowerCase(Locale.ROOT);
        if (!List.of("rate", "mtu", "sl", "scope", "q_key", "tclass", "flowlabel")
                .contains(name)) {
            throw invalid(flag.line(), "'" + flag.text() + "' is no flag; there is " + FLAGS);
        }
        int value = (int) number(flag);
        try {
            return new BroadcastGroup(
                    name.equals("mtu") ? value : group.mtu(),
                    name.equals("rate") ? value : group.rate(),
                    name.equals("sl") ? value : group.serviceLevel(),
                    name.equals("scope") ? value : group.scope(),
                    name.equals("q_key") ? value : group.qkey(),
                    name.equals("tclass") ? value : group.trafficClass(),
                    name.equals("flowlabel") ? value : group.flowLabel());
        } catch (RdmaException e) {
            throw invalid(flag.line(), "'" + flag.text() + "' does not fit its field");
        }
    }

    private void port(Rule rule, Word port, Membership membership) {
        switch (port.key()) {
            case "ALL" -> {
                rule.adapters = Rule.stronger(rule.adapters, membership);
                rule.switches = Rule.stronger(rule.switches, membership);
            }
            case "ALL_CAS" -> rule.adapters = Rule.stronger(rule.adapters, membership);
            case "ALL_SWITCHES" -> rule.switches = Rule.stronger(rule.switches, membership);
            case "ALL_ROUTERS", "ALL_VCAS" -> {
                // a subnet of this project has none
            }
            case "SELF" -> rule.add(self, membership);
            case "mgid" -> throw invalid(port.line(), "groups (mgid=) are not supported");
            default -> rule.add(guid(port), membership);
        }
    }

    private long guid(Word port) {
        String text = port.key().toLowerCase(Locale.ROOT);
        try {
            return text.startsWith("0x") ? Long.parseUnsignedLong(text.substring(2), 16) : Long.parseUnsignedLong(text);
        } catch (NumberFormatException e) {
            throw invalid(
                    port.line(),
                    "'" + port.text() + "' is no GUID of a port, and none of ALL, ALL_CAS, ALL_SWITCHES and SELF");
        }
    }
}
