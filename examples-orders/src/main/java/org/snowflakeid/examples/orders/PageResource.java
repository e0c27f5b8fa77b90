// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.examples.orders;

import jakarta.enterprise.context.ApplicationScoped;
import jakarta.ws.rs.GET;
import jakarta.ws.rs.Path;
import jakarta.ws.rs.Produces;
import jakarta.ws.rs.core.MediaType;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.Objects;

/** The page of orders. All that it shows, it asks of the other resources. */
@Path("/")
@ApplicationScoped
public class PageResource {

    @GET
    @Produces(MediaType.TEXT_HTML + ";charset=UTF-8")
    public String page() throws IOException {
        try (InputStream page = PageResource.class.getResourceAsStream("orders.html")) {
            return new String(Objects.requireNonNull(page).readAllBytes(), StandardCharsets.UTF_8);
        }
    }
}
