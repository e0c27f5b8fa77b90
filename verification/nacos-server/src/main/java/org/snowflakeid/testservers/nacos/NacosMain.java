// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.testservers.nacos;

import com.alibaba.nacos.NacosServerBasicApplication;
import com.alibaba.nacos.NacosServerWebApplication;
import com.alibaba.nacos.core.listener.startup.NacosStartUp;
import com.alibaba.nacos.core.listener.startup.NacosStartUpManager;
import com.alibaba.nacos.core.remote.grpc.GrpcClusterServer;
import com.alibaba.nacos.core.remote.grpc.GrpcSdkServer;
import java.nio.file.Path;
import java.sql.DriverManager;
import java.sql.SQLException;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.beans.factory.support.AbstractBeanDefinition;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;

/** As Nacos starts its server without a console, but for its gRPC ports: these would listen on all addresses of the machine. */
public final class NacosMain {
    private NacosMain() {}

    public static void main(String[] arguments) throws SQLException {
        startDatabase();
        NacosStartUpManager.start(NacosStartUp.CORE_START_UP_PHASE);
        ConfigurableApplicationContext core = new SpringApplicationBuilder(NacosServerBasicApplication.class)
                .web(WebApplicationType.NONE)
                .initializers(context -> context.addBeanFactoryPostProcessor(NacosMain::withoutGrpc))
                .run(arguments);
        NacosStartUpManager.start(NacosStartUp.WEB_START_UP_PHASE);
        ConfigurableApplicationContext unused = new SpringApplicationBuilder(NacosServerWebApplication.class)
                .parent(core)
                .run(arguments);
    }

    /** Nacos waits ten seconds for it, which are not enough on a busy machine. */
    private static void startDatabase() throws SQLException {
        String url = "jdbc:derby:" + Path.of(System.getProperty("nacos.home"), "data", "derby-data") + ";create=true";
        DriverManager.getConnection(url, "nacos", "nacos").close();
    }

    private static void withoutGrpc(ConfigurableListableBeanFactory beans) {
        replace(beans, "grpcSdkServer", SilentSdkServer.class);
        replace(beans, "grpcClusterServer", SilentClusterServer.class);
    }

    private static void replace(ConfigurableListableBeanFactory beans, String name, Class<?> type) {
        ((AbstractBeanDefinition) beans.getBeanDefinition(name)).setBeanClass(type);
    }

    /** Listens nowhere. */
    public static final class SilentSdkServer extends GrpcSdkServer {
        @Override
        public void startServer() {}

        @Override
        public void shutdownServer() {}
    }

    /** Listens nowhere. */
    public static final class SilentClusterServer extends GrpcClusterServer {
        @Override
        public void startServer() {}

        @Override
        public void shutdownServer() {}
    }
}
