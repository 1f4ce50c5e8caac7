// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.net.feature;

import java.util.AbstractSet;
import java.util.Arrays;
import java.util.Collection;
import java.util.Iterator;
import java.util.NoSuchElementException;

/**
 * An immutable set of features ({@code netdev_features_t}). It is one 64-bit word, so that a test on the data path is
 * cheap.
 */
public final class FeatureSet extends AbstractSet<NetDeviceFeature> {
    /** The empty set. */
    public static final FeatureSet NONE = new FeatureSet(0);

    /** TCP segmentation ({@code NETIF_F_ALL_TSO}). */
    public static final FeatureSet ALL_TSO = of(NetDeviceFeature.TSO, NetDeviceFeature.TSO6);

    /** Segmentation of all protocols that the core can segment ({@code NETIF_F_GSO_SOFTWARE}). */
    public static final FeatureSet GSO_SOFTWARE = ALL_TSO.plus(of(NetDeviceFeature.GSO_UDP_L4));

    /** Features that the core provides for every device ({@code NETIF_F_SOFT_FEATURES}). */
    public static final FeatureSet SOFT_FEATURES = of(NetDeviceFeature.GSO, NetDeviceFeature.GRO);

    /** Features that users cannot change ({@code NETIF_F_NEVER_CHANGE}, and {@code NETIF_F_HIGHDMA}). */
    public static final FeatureSet NEVER_CHANGE = of(
            NetDeviceFeature.VLAN_CHALLENGED,
            NetDeviceFeature.LLTX,
            NetDeviceFeature.NETNS_LOCAL,
            NetDeviceFeature.HIGHDMA);

    private static final NetDeviceFeature[] ALL = NetDeviceFeature.values();

    private final long bits;

    private FeatureSet(long bits) {
        this.bits = bits;
    }

    /**
     * {@return the set of these features}
     *
     * @param features any number of features
     */
    public static FeatureSet of(NetDeviceFeature... features) {
        return copyOf(Arrays.asList(features));
    }

    /**
     * {@return the set of these features}
     *
     * @param features any number of features
     */
    public static FeatureSet copyOf(Collection<NetDeviceFeature> features) {
        long bits = 0;
        for (NetDeviceFeature feature : features) {
            bits |= bit(feature);
        }
        return new FeatureSet(bits);
    }

    private static long bit(NetDeviceFeature feature) {
        return 1L << feature.ordinal();
    }

    /**
     * {@return true if the set contains {@code feature}} Allocates nothing.
     *
     * @param feature the feature
     */
    public boolean has(NetDeviceFeature feature) {
        return (bits & bit(feature)) != 0;
    }

    /**
     * {@return true if the set contains at least one feature of {@code others}}
     *
     * @param others the other set
     */
    public boolean hasAny(FeatureSet others) {
        return (bits & others.bits) != 0;
    }

    /**
     * {@return true if the set contains all features of {@code others}} Allocates nothing.
     *
     * @param others the other set
     */
    public boolean hasAll(FeatureSet others) {
        return (bits & others.bits) == others.bits;
    }

    /**
     * {@return the union of both sets}
     *
     * @param other the other set
     */
    public FeatureSet plus(FeatureSet other) {
        return new FeatureSet(bits | other.bits);
    }

    /**
     * {@return the features of this set that are not in the other one}
     *
     * @param other the other set
     */
    public FeatureSet minus(FeatureSet other) {
        return new FeatureSet(bits & ~other.bits);
    }

    /**
     * {@return the intersection of both sets}
     *
     * @param other the other set
     */
    public FeatureSet and(FeatureSet other) {
        return new FeatureSet(bits & other.bits);
    }

    @Override
    public boolean contains(Object object) {
        return object instanceof NetDeviceFeature feature && has(feature);
    }

    @Override
    public int size() {
        return Long.bitCount(bits);
    }

    /** Iterates in the order of {@link NetDeviceFeature}. */
    @Override
    public Iterator<NetDeviceFeature> iterator() {
        return new Iterator<>() {
            private long left = bits;

            @Override
            public boolean hasNext() {
                return left != 0;
            }

            @Override
            public NetDeviceFeature next() {
                if (left == 0) {
                    throw new NoSuchElementException();
                }
                NetDeviceFeature feature = ALL[Long.numberOfTrailingZeros(left)];
                left &= left - 1;
                return feature;
            }
        };
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof FeatureSet set ? bits == set.bits : super.equals(other);
    }

    /** As defined by {@link java.util.Set#hashCode}: the sum over the features. */
    @Override
    public int hashCode() {
        return super.hashCode();
    }
}
