// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid;

import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.extension.ExtendWith;

/** A class of its own, so that another process can run it beside {@link HotPathInterleavingsTest}: a process runs one schedule at a time. */
@Tag("nightly")
@ExtendWith(LogTurnedOff.class)
class LongInterleavingsTest {

    @TestFactory
    Stream<DynamicTest> holdsUnderEverySchedule() {
        return HotPathInterleavingsTest.holds(
                HotPathInterleavingsTest.LONG::contains, HotPathInterleavingsTest.DEVIATIONS);
    }
}
