// SPDX-License-Identifier: Apache-2.0
/** What an application must do on every runtime, run as a process of its own and asked over HTTP: tests to be inherited. */
@NullMarked
package org.snowflakeid.runtime;

import org.jspecify.annotations.NullMarked;
