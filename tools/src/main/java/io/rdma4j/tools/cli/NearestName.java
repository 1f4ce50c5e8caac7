// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.tools.cli;

import java.util.Collection;
import java.util.Optional;

/** Finds a known name that is similar to an unknown one, for error messages. */
public final class NearestName {
    /** Characters of the unknown word per permitted edit. */
    private static final int CHARACTERS_PER_EDIT = 4;

    private NearestName() {}

    /**
     * Returns the name with the smallest edit distance to a word; the first of several with the same distance.
     *
     * @return empty if even that name differs in more than one character in four
     */
    public static Optional<String> of(String word, Collection<String> names) {
        int most = Math.max(1, word.length() / CHARACTERS_PER_EDIT);
        String nearest = "";
        int least = most + 1;
        for (String name : names) {
            int distance = distance(word, name);
            if (distance < least) {
                least = distance;
                nearest = name;
            }
        }
        return least <= most ? Optional.of(nearest) : Optional.empty();
    }

    /**
     * Counts the insertions, deletions, replacements, and exchanges of neighbours that transform one word into the
     * other.
     */
    static int distance(String a, String b) {
        int[][] cost = new int[a.length() + 1][b.length() + 1];
        for (int i = 0; i <= a.length(); i++) {
            for (int j = 0; j <= b.length(); j++) {
                cost[i][j] = i == 0 || j == 0 ? i + j : step(a, b, cost, i, j);
            }
        }
        return cost[a.length()][b.length()];
    }

    private static int step(String a, String b, int[][] cost, int i, int j) {
        int replaced = cost[i - 1][j - 1] + (a.charAt(i - 1) == b.charAt(j - 1) ? 0 : 1);
        int least = Math.min(replaced, Math.min(cost[i - 1][j], cost[i][j - 1]) + 1);
        boolean exchanged = i > 1 && j > 1 && a.charAt(i - 1) == b.charAt(j - 2) && a.charAt(i - 2) == b.charAt(j - 1);
        return exchanged ? Math.min(least, cost[i - 2][j - 2] + 1) : least;
    }
}
