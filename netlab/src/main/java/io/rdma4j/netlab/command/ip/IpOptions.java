// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.netlab.command.ip;

import io.rdma4j.base.Gid;
import io.rdma4j.netlab.command.shell.ArgumentReader;
import io.rdma4j.netlab.command.shell.UsageException;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The options of {@code ip}, which precede the object.
 *
 * @param json print JSON
 * @param details print more
 * @param statistics print counters
 * @param brief print a short line for each
 * @param ipv4 true for IPv4 only, false for IPv6 only; null for the default of the command
 */
record IpOptions(
        boolean json,
        boolean details,
        boolean statistics,
        boolean brief,
        @Nullable Boolean ipv4) {
    private static final IpOptions NONE = new IpOptions(false, false, false, false, null);

    /**
     * Reads all words that begin with a dash.
     *
     * @param namespace receives each name after {@code -n}
     * @throws UsageException for an unknown option
     */
    static IpOptions read(ArgumentReader words, Consumer<String> namespace) {
        IpOptions options = NONE;
        while (words.peek().startsWith("-")) {
            String word = words.next("option").replaceFirst("^--?", "");
            if (word.equals("n") || word.equals("netns")) {
                namespace.accept(words.next("a namespace behind \"-n\""));
            } else {
                options = options.with(word);
            }
        }
        return options;
    }

    private IpOptions with(String word) {
        return switch (word) {
            case "j", "json" -> new IpOptions(true, details, statistics, brief, ipv4);
            case "d", "details" -> new IpOptions(json, true, statistics, brief, ipv4);
            case "s", "stats", "statistics" -> new IpOptions(json, details, true, brief, ipv4);
            case "br", "brief" -> new IpOptions(json, details, statistics, true, ipv4);
            case "4" -> new IpOptions(json, details, statistics, brief, true);
            case "6" -> new IpOptions(json, details, statistics, brief, false);
            default ->
                throw new UsageException(
                        "Option \"-" + word + "\" is unknown; there is -j, -d, -s, -br, -4, -6, -n NETNS");
        };
    }

    /** True if the options select addresses of this version. */
    boolean means(Gid address) {
        return ipv4 == null || ipv4 == address.isIpv4();
    }
}
