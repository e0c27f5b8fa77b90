// SPDX-License-Identifier: Apache-2.0
package javax.crac;

/** As a JDK with checkpoints has it. */
public interface Resource {

    void beforeCheckpoint(Context<? extends Resource> context) throws Exception;

    void afterRestore(Context<? extends Resource> context) throws Exception;
}
