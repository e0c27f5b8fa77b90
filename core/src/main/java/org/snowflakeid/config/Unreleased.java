// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.config;

/** What happens before a checkpoint if a worker id can't be given back. */
public enum Unreleased {
    /** Refuse the checkpoint, and go on. */
    REFUSE,
    /** Seal only: no copy issues under the worker id, and others can claim it when its window has ended. */
    ALLOW
}
