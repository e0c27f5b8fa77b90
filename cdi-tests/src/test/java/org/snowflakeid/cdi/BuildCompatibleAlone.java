// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.cdi;

/** Weld skips the original, which yields to the portable extension. */
public class BuildCompatibleAlone extends SnowflakeBuildCompatibleExtension {}
