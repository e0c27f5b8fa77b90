// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.verification.jpa.servers;

import jakarta.ws.rs.ApplicationPath;
import jakarta.ws.rs.core.Application;

/** Servers want one. */
@ApplicationPath("/")
public class Root extends Application {}
