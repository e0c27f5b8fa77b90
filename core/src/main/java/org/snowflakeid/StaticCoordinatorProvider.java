// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid;

final class StaticCoordinatorProvider {
    static final String NAME = "static";
}
