// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.runtime.orders;

import jakarta.ws.rs.ApplicationPath;
import jakarta.ws.rs.core.Application;

/** Servers serve resources below the path that an application names, and none without one. */
@ApplicationPath("/")
public class Root extends Application {}
