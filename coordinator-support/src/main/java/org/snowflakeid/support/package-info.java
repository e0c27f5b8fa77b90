// SPDX-License-Identifier: Apache-2.0
/**
 * What coordinators share and core does not need. A coordinator outside this project may use all of it:
 *
 * <ul>
 *   <li>for its settings: {@link org.snowflakeid.support.TlsKeys} and {@link org.snowflakeid.support.Tls} for certificates and keys in PEM
 *       files, {@link org.snowflakeid.support.PasswordKeys} for a password that may be in a file, and
 *       {@link org.snowflakeid.support.HostAndPort} for addresses.
 * </ul>
 */
@NullMarked
package org.snowflakeid.support;

import org.jspecify.annotations.NullMarked;
