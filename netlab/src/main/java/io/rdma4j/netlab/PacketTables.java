// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.netlab;

import io.rdma4j.base.Errno;
import io.rdma4j.base.RdmaException;
import io.rdma4j.ip.filter.FilterRule;
import io.rdma4j.ip.filter.FilterTable;
import io.rdma4j.ip.filter.FilterVerdict;
import io.rdma4j.net.skb.HookPoint;
import io.rdma4j.net.skb.PacketHooks;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * The packet filter tables of a namespace, by the names of {@code iptables}. Each rule keeps the words of the command
 * that added it. Rules apply to IPv4 and IPv6. Any thread may call.
 */
public final class PacketTables {
    /**
     * A rule and its words.
     *
     * @param chain hook point at which the rule is evaluated
     * @param words words of the command without table and chain
     * @param rule the rule that the words describe
     */
    public record Line(HookPoint chain, String words, FilterRule rule) {}

    private static final Set<HookPoint> LOCAL = Set.of(HookPoint.INPUT, HookPoint.FORWARD, HookPoint.OUTPUT);

    private final Map<String, Table> tables;

    private static final class Table {
        final FilterTable rules;
        final Set<HookPoint> chains;
        final List<Line> lines = new ArrayList<>();

        Table(String name, PacketHooks hooks, int priority, Set<HookPoint> chains) {
            this.rules = new FilterTable(name, hooks, priority);
            this.chains = chains;
        }
    }

    /** Creates empty tables in Linux's order ({@code enum nf_ip_hook_priorities}). */
    PacketTables(PacketHooks hooks) {
        Set<HookPoint> all = Set.of(
                HookPoint.PREROUTING, HookPoint.INPUT, HookPoint.FORWARD, HookPoint.OUTPUT, HookPoint.POSTROUTING);
        tables = Map.of(
                "raw", new Table("raw", hooks, -300, Set.of(HookPoint.PREROUTING, HookPoint.OUTPUT)),
                "mangle", new Table("mangle", hooks, -150, all),
                "filter", new Table("filter", hooks, 0, LOCAL),
                "security", new Table("security", hooks, 50, LOCAL));
    }

    private Table table(String name) {
        Table table = tables.get(name);
        if (table == null) {
            throw new RdmaException(Errno.ENOENT, "there is no table \"" + name + "\"; there is " + tables.keySet());
        }
        return table;
    }

    private Table table(String name, HookPoint chain) {
        Table table = table(name);
        if (!table.chains.contains(chain)) {
            throw new RdmaException(Errno.ENOENT, "table " + name + " has no chain " + chain);
        }
        return table;
    }

    /**
     * Appends a rule to a chain.
     *
     * @param table name of the table, such as {@code filter}
     * @param line rule for a chain of the table
     * @throws RdmaException ENOENT if there is no such table or the table has no such chain
     */
    public synchronized void append(String table, Line line) {
        Table to = table(table, line.chain);
        to.lines.add(line);
        to.rules.append(line.chain, line.rule);
    }

    /**
     * Deletes the first rule of a chain that has these words.
     *
     * @param table name of the table, such as {@code filter}
     * @param chain chain of the rule
     * @param words words of the command without table and chain
     * @throws RdmaException ENOENT if there is no such table, chain or rule
     */
    public synchronized void delete(String table, HookPoint chain, String words) {
        Table from = table(table, chain);
        for (Line line : from.lines) {
            if (line.chain == chain && line.words.equals(words)) {
                from.rules.delete(chain, line.rule);
                from.lines.remove(line);
                return;
            }
        }
        throw new RdmaException(Errno.ENOENT, "chain " + chain + " of " + table + " has no rule \"" + words + "\"");
    }

    /**
     * Deletes all rules of a table.
     *
     * @param table name of the table, such as {@code filter}
     * @throws RdmaException ENOENT if there is no such table
     */
    public synchronized void flush(String table) {
        Table from = table(table);
        from.chains.forEach(from.rules::flush);
        from.lines.clear();
    }

    /**
     * Sets the verdict for packets that no rule of a chain accepts or drops.
     *
     * @param table name of the table, such as {@code filter}
     * @param chain chain of the table
     * @param verdict ACCEPT or DROP
     * @throws RdmaException ENOENT if there is no such table or chain
     */
    public synchronized void policy(String table, HookPoint chain, FilterVerdict verdict) {
        table(table, chain).rules.policy(chain, verdict);
    }

    /**
     * {@return a copy of the rules of a table, in the order of their addition}
     *
     * @param table name of the table, such as {@code filter}
     * @throws RdmaException ENOENT if there is no such table
     */
    public synchronized List<Line> lines(String table) {
        return List.copyOf(table(table).lines);
    }
}
