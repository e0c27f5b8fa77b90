// SPDX-License-Identifier: Apache-2.0
package javax.crac;

/** What org.crac looks for in the JDK. It makes no image: the process just goes on, as the first that is restored does. */
public final class Core {

    private static final Context<Resource> CONTEXT = new Context<>();

    private Core() {}

    public static Context<Resource> getGlobalContext() {
        return CONTEXT;
    }

    public static void checkpointRestore() throws CheckpointException, RestoreException {
        CONTEXT.checkpointRestore();
    }
}
