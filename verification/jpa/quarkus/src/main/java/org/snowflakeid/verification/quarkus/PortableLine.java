// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.verification.quarkus;

import jakarta.persistence.Entity;

/** Reached by cascades only. */
@Entity
public class PortableLine extends PortableRow {}
