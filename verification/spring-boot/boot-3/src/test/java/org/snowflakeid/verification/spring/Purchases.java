// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.verification.spring;

import org.springframework.data.jpa.repository.JpaRepository;

interface Purchases extends JpaRepository<Purchase, Long> {}
