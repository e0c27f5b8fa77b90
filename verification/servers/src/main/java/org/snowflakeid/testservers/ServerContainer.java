// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.testservers;

import com.github.dockerjava.api.DockerClient;
import com.github.dockerjava.api.async.ResultCallback;
import com.github.dockerjava.api.command.CreateContainerCmd;
import com.github.dockerjava.api.command.WaitContainerResultCallback;
import com.github.dockerjava.api.model.ExposedPort;
import com.github.dockerjava.api.model.PortBinding;
import com.github.dockerjava.api.model.Statistics;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.testcontainers.DockerClientFactory;
import org.testcontainers.containers.Container.ExecResult;
import org.testcontainers.containers.GenericContainer;
import org.testcontainers.containers.Network;
import org.testcontainers.utility.MountableFile;

/** A container, which keeps its data while it is killed and started again. It is the engine's to end it if this JVM cannot. */
final class ServerContainer implements Server {
    private final String image;
    private final String name;
    private final Map<String, String> environment;
    private final int[] ports;
    private final Path directory;
    private List<String> command = List.of();
    private volatile @Nullable GenericContainer<?> container;

    ServerContainer(String image, String name, Map<String, String> environment, int... ports) {
        this.image = image;
        this.name = name;
        this.environment = environment;
        this.ports = ports;
        this.directory = Directories.createTemporary(name);
    }

    static boolean engineAnswers() {
        return DockerClientFactory.instance().isDockerAvailable();
    }

    private static DockerClient engine() {
        return DockerClientFactory.instance().client();
    }

    @Override
    public Path directory() {
        return directory;
    }

    @Override
    public void launch(List<String> command) {
        GenericContainer<?> existing = container;
        if (existing == null) {
            this.command = command;
            container = create();
        } else if (!command.equals(this.command)) {
            throw needsProcess("starting it again with other arguments");
        } else if (isAlive()) {
            throw new IllegalStateException(name + " is running");
        } else {
            engine().startContainerCmd(existing.getContainerId()).exec();
        }
    }

    // Closed by close() and wipe().
    @SuppressWarnings("resource")
    private GenericContainer<?> create() {
        GenericContainer<?> created = new GenericContainer<>(image)
                .withEnv(environment)
                .withNetwork(Network.SHARED)
                .withNetworkAliases(name)
                .withCopyToContainer(MountableFile.forHostPath(directory), directory.toString())
                .withCreateContainerCmdModifier(this::arrange);
        created.start();
        return created;
    }

    private void arrange(CreateContainerCmd options) {
        // The command decides what runs, and not what an image has for an entry point.
        options.withEntrypoint(command.subList(0, 1)).withCmd(command.subList(1, command.size()));
        options.withUser("0");
        options.withExposedPorts(IntStream.of(ports).mapToObj(ExposedPort::tcp).toList());
        // The same port on both sides, since one that the engine chose would change with each start.
        Objects.requireNonNull(options.getHostConfig())
                .withPortBindings(IntStream.of(ports)
                        .mapToObj(port -> PortBinding.parse("127.0.0.1:" + port + ":" + port))
                        .toList());
    }

    @Override
    public boolean isAlive() {
        GenericContainer<?> existing = container;
        return existing != null && existing.isRunning();
    }

    @Override
    public String logTail() {
        GenericContainer<?> existing = container;
        String all = existing == null ? "" : existing.getLogs();
        return all.substring(Math.max(0, all.length() - 3_000));
    }

    @Override
    public Duration cpuTime() {
        AtomicReference<@Nullable Statistics> seen = new AtomicReference<>();
        try (ResultCallback.Adapter<Statistics> callback = new ResultCallback.Adapter<>() {
            @Override
            public void onNext(Statistics statistics) {
                seen.set(statistics);
            }
        }) {
            engine().statsCmd(id()).withNoStream(true).exec(callback).awaitCompletion(20, TimeUnit.SECONDS);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            throw interrupted(e);
        }
        return Duration.ofNanos(
                Objects.requireNonNull(seen.get()).getCpuStats().getCpuUsage().getTotalUsage());
    }

    @Override
    public void signal(String signal) {
        engine().killContainerCmd(id()).withSignal(signal).exec();
    }

    @Override
    public void terminate() {
        endBy("TERM");
    }

    @Override
    public void kill() {
        if (isAlive()) {
            endBy("KILL");
        }
    }

    private void endBy(String signal) {
        signal(signal);
        engine().waitContainerCmd(id()).exec(new WaitContainerResultCallback()).awaitStatusCode(20, TimeUnit.SECONDS);
    }

    private String id() {
        GenericContainer<?> existing = container;
        if (existing == null) {
            throw new IllegalStateException(name + " is not running");
        }
        return existing.getContainerId();
    }

    @Override
    public Path reachableData() {
        throw needsProcess("reading or replacing its data");
    }

    private IllegalStateException needsProcess(String what) {
        return new IllegalStateException(name + " runs in a container, and " + what + " needs a process: leave "
                + ServerPlace.PROPERTY + " away.");
    }

    @Override
    public void wipe() {
        if (isAlive()) {
            throw new IllegalStateException(name + " is running");
        }
        remove();
    }

    private void remove() {
        GenericContainer<?> existing = container;
        if (existing != null) {
            existing.stop();
        }
        container = null;
    }

    @Override
    public String run(List<String> command) {
        GenericContainer<?> existing = container;
        if (existing == null) {
            throw new IllegalStateException(name + " is not running");
        }
        try {
            ExecResult result = existing.execInContainer(command.toArray(String[]::new));
            if (result.getExitCode() != 0) {
                throw new IllegalStateException(
                        String.join(" ", command) + ": " + result.getStdout() + result.getStderr());
            }
            return result.getStdout() + result.getStderr();
        } catch (IOException e) {
            throw new UncheckedIOException(String.join(" ", command), e);
        } catch (InterruptedException e) {
            throw interrupted(e);
        }
    }

    private static IllegalStateException interrupted(InterruptedException e) {
        Thread.currentThread().interrupt();
        return new IllegalStateException("interrupted", e);
    }

    @Override
    public void close() {
        remove();
        Directories.delete(directory);
    }
}
