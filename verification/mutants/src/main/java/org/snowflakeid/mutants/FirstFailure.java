// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.mutants;

import static org.junit.platform.engine.discovery.DiscoverySelectors.selectClass;

import java.util.Optional;
import org.junit.platform.engine.TestExecutionResult;
import org.junit.platform.engine.support.descriptor.ClassSource;
import org.junit.platform.engine.support.descriptor.MethodSource;
import org.junit.platform.launcher.Launcher;
import org.junit.platform.launcher.TestExecutionListener;
import org.junit.platform.launcher.TestIdentifier;
import org.junit.platform.launcher.core.LauncherDiscoveryRequestBuilder;
import org.junit.platform.launcher.core.LauncherFactory;

/** Runs test classes one after the other in a JVM of their own, which ends at the first failure: with status 1. */
final class FirstFailure implements TestExecutionListener {

    static final String BEGUN = "BEGUN ";
    static final String FAILED = "FAILED ";
    static final String PASSED = "PASSED ";

    private int passed;

    public static void main(String... classes) {
        FirstFailure watcher = new FirstFailure();
        Launcher launcher = LauncherFactory.create();
        for (String name : classes) {
            launcher.execute(
                    LauncherDiscoveryRequestBuilder.request()
                            .selectors(selectClass(name))
                            .build(),
                    watcher);
        }
        System.out.println(PASSED + watcher.passed);
        end(watcher.passed == 0 ? 2 : 0);
    }

    /** Threads of a broken generator must not keep this JVM alive, nor may servers that tests have started outlive it. */
    private static void end(int status) {
        System.out.flush();
        ProcessHandle.current().descendants().forEach(ProcessHandle::destroyForcibly);
        Runtime.getRuntime().halt(status);
    }

    @Override
    public void executionStarted(TestIdentifier test) {
        if (test.isTest()) {
            System.out.println(BEGUN + nameOf(test));
        }
    }

    @Override
    public void executionFinished(TestIdentifier test, TestExecutionResult result) {
        Optional<Throwable> failure = result.getThrowable();
        if (failure.isPresent()) {
            System.out.println(FAILED + nameOf(test) + " "
                    + String.valueOf(failure.get()).strip().replaceAll("\\s+", " "));
            end(1);
        }
        if (test.isTest()) {
            passed++;
        }
    }

    private static String nameOf(TestIdentifier test) {
        return test.getSource()
                .map(source -> source instanceof MethodSource method
                        ? simple(method.getClassName()) + "." + method.getMethodName()
                        : source instanceof ClassSource type ? simple(type.getClassName()) : source.toString())
                .orElse(test.getDisplayName())
                .replace(' ', '_');
    }

    private static String simple(String className) {
        return className.substring(className.lastIndexOf('.') + 1);
    }
}
