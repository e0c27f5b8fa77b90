// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.quarkus.deployment;

import io.quarkus.deployment.Capabilities;
import io.quarkus.deployment.Capability;
import io.quarkus.deployment.IsLocalDevelopment;
import io.quarkus.deployment.annotations.BuildProducer;
import io.quarkus.deployment.annotations.BuildStep;
import io.quarkus.devui.spi.page.CardPageBuildItem;
import io.quarkus.devui.spi.page.Page;
import io.quarkus.vertx.http.deployment.spi.RouteBuildItem;
import java.net.URI;
import org.eclipse.microprofile.config.Config;
import org.eclipse.microprofile.config.ConfigProvider;
import org.snowflakeid.quarkus.GeneratorsPage;

/** Shows the generators of an application in dev mode: on a page of its own, and in the Dev UI, whose card leads there. */
class GeneratorsOnAPage {

    private static final String PATH = "snowflake";

    @BuildStep(onlyIf = IsLocalDevelopment.class)
    void show(Capabilities capabilities, BuildProducer<RouteBuildItem> routes, BuildProducer<CardPageBuildItem> cards) {
        if (capabilities.isMissing(Capability.VERTX_HTTP)) {
            return;
        }
        routes.produce(RouteBuildItem.newFrameworkRoute(PATH)
                .withRequestHandler(new GeneratorsPage())
                .displayOnNotFoundPage("Snowflake ID: generators")
                .build());
        CardPageBuildItem card = new CardPageBuildItem();
        card.addPage(Page.externalPageBuilder("Generators")
                .icon("font-awesome-solid:snowflake")
                .url(address(ConfigProvider.getConfig()))
                .isHtmlContent());
        cards.produce(card);
    }

    private static String address(Config config) {
        return address(
                config.getOptionalValue("quarkus.http.root-path", String.class).orElse("/"),
                config.getOptionalValue("quarkus.http.non-application-root-path", String.class)
                        .orElse("q"));
    }

    /** Where Quarkus puts a framework's route, by its two settings; the second is below the first unless it begins with a slash. */
    static String address(String root, String frameworks) {
        return URI.create("/")
                .resolve(folder(root))
                .resolve(folder(frameworks))
                .resolve(PATH)
                .getPath();
    }

    private static String folder(String path) {
        return path.endsWith("/") ? path : path + "/";
    }
}
