// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.benchmarks;

/** Where the time is in an id: {@code bits} of it above {@code shift}, in units since an epoch. */
record IdTime(long epochMillis, int shift, int bits, long unitMillis) {

    /** The usual layout: 41 bits of milliseconds above 22 of worker id and sequence. */
    static IdTime millisSince(long epochMillis) {
        return new IdTime(epochMillis, 22, 41, 1);
    }

    /** The same beside another number of them than 12. */
    IdTime withSequenceBits(int sequenceBits) {
        return new IdTime(epochMillis, shift - Subject.SEQUENCE_BITS + sequenceBits, bits, unitMillis);
    }

    /** The beginning of the unit that the id says it was made in. */
    long millis(long id) {
        return epochMillis + ((id >>> shift) & ((1L << bits) - 1)) * unitMillis;
    }
}
