// SPDX-License-Identifier: Apache-2.0
/**
 * What coordinators share and core does not need. A coordinator outside this project may use all of it:
 *
 * <ul>
 *   <li>for its settings: {@link org.snowflakeid.support.TlsKeys} for certificates and keys in PEM files,
 *       {@link org.snowflakeid.support.PasswordKeys} for a user and a password that may be in a file,
 *       {@link org.snowflakeid.support.ServerUrl} for addresses, and {@link org.snowflakeid.support.CallTimeout} for how long a call
 *       may take;
 *   <li>for its connection: {@link org.snowflakeid.support.Shared}, so that the generators of an application have one, and {@link
 *       org.snowflakeid.support.ApplicationThreads}, so that none outlives its application;
 *   <li>for its failures: {@link org.snowflakeid.support.RequestFailure}, which says whether anything may have been changed, and {@link
 *       org.snowflakeid.support.Handshakes}, where one side refuses the other's certificate.
 * </ul>
 */
@NullMarked
package org.snowflakeid.support;

import org.jspecify.annotations.NullMarked;
