// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.verification.jpa;

import jakarta.enterprise.context.ApplicationScoped;

/** The one bean of the application, which injects nothing: Weld starts for no less. */
@ApplicationScoped
public class Shop {}
