package io.rdma4j.control;

import io.rdma4j.base.Errno;
import io.rdma4j.base.RdmaException;
import io.rdma4j.net.filter.FilterRule;
import io.rdma4j.net.filter.FilterTable;
import io.rdma4j.net.filter.FilterVerdict;
import io.rdma4j.net.skb.HookPoint;
import io.rdma4j.net.skb.PacketHooks;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * The tables of rules of a namespace, by the names of {@code iptables}, with the words that each rule was given in; rules hold for
 * both versions of IP. Any thread may call.
 */
public final class PacketTables {
    /**
     * A rule and its words.
     *
     * @param chain where packets come by
     * @param words all but table and chain
     * @param rule what the words mean
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

    /** Empty tables; their order is Linux's ({@code enum nf_ip_hook_priorities}). */
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
     * Adds a rule behind all others of a chain.
     *
     * @param table name, such as {@code filter}
     * @param line for a chain that the table has
     * @throws RdmaException ENOENT if there is no such table, or no such chain in it
     */
    public synchronized void append(String table, Line line) {
        Table to = table(table, line.chain);
        to.lines.add(line);
        to.rules.append(line.chain, line.rule);
    }

    /**
     * Takes the first rule of a chain away that was given in these words.
     *
     * @param table name, such as {@code filter}
     * @param chain where the rule is
     * @param words all but table and chain
     * @throws RdmaException ENOENT if there is none, or no such table or chain
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
     * Takes all rules of a table away.
     *
     * @param table name, such as {@code filter}
     * @throws RdmaException ENOENT if there is no such table
     */
    public synchronized void flush(String table) {
        Table from = table(table);
        from.chains.forEach(from.rules::flush);
        from.lines.clear();
    }

    /**
     * Says what becomes of packets that no rule of a chain decides on.
     *
     * @param table name, such as {@code filter}
     * @param chain one that the table has
     * @param verdict ACCEPT or DROP
     * @throws RdmaException ENOENT if there is no such table or chain
     */
    public synchronized void policy(String table, HookPoint chain, FilterVerdict verdict) {
        table(table, chain).rules.policy(chain, verdict);
    }

    /**
     * {@return the rules of a table in the order they came, a copy}
     *
     * @param table name, such as {@code filter}
     * @throws RdmaException ENOENT if there is no such table
     */
    public synchronized List<Line> lines(String table) {
        return List.copyOf(table(table).lines);
    }
}
