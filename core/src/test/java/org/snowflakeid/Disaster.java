// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid;

final class Disaster {
    Disaster(Simulation run) {}
    void play() {}
}
