// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.verification.spring;

import org.snowflakeid.verification.jpa.HibernatePurchase;
import org.springframework.boot.autoconfigure.AutoConfigurationPackage;

/** Adds to the application what other runtimes are tried with. */
@AutoConfigurationPackage(basePackageClasses = HibernatePurchase.class)
class EntitiesOfEveryRuntime {}
