// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.verification.jpa;

/** One line of persistence.xml in place of listeners. */
class MappingFileTest extends MappingFileContract {}
