// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.verification.spring;

import org.springframework.boot.autoconfigure.SpringBootApplication;

/** An application as users write them: web, actuator, Data JPA. */
@SpringBootApplication
class Application {}
