// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.verification.spring;

import java.util.UUID;
import org.springframework.data.jpa.repository.JpaRepository;

interface Tickets extends JpaRepository<Ticket, UUID> {}
