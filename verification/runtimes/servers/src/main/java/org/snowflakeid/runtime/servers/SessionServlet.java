// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.runtime.servers;

import jakarta.inject.Inject;
import jakarta.json.Json;
import jakarta.json.JsonWriter;
import jakarta.servlet.ServletException;
import jakarta.servlet.annotation.WebServlet;
import jakarta.servlet.http.HttpServlet;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import org.snowflakeid.Snowflake;

/** Ids from the servlet's own field, from a bean of the session, and from that bean after it was passivated. */
@WebServlet("/session")
public class SessionServlet extends HttpServlet {
    private static final long serialVersionUID = 1L;

    @Inject
    @SuppressWarnings({"NullAway.Init", "serial"}) // what is injected is serializable, though its type doesn't say so
    private Snowflake ids;

    @Inject
    @SuppressWarnings("NullAway.Init")
    private SessionIds session;

    @Override
    protected void doGet(HttpServletRequest request, HttpServletResponse response)
            throws ServletException, IOException {
        String id = request.getSession().getId();
        long fromServlet = ids.nextId();
        long fromSession = session.next();
        SessionIds activated;
        try {
            activated = session.passivatedAndActivated();
        } catch (ClassNotFoundException e) {
            throw new ServletException(e);
        }
        response.setContentType("application/json");
        try (JsonWriter answer = Json.createWriter(response.getOutputStream())) {
            answer.writeObject(Json.createObjectBuilder()
                    .add("session", id)
                    .add("servlet", Long.toString(fromServlet))
                    .add("bean", Long.toString(fromSession))
                    .add("issued", activated.issued())
                    .add("activated", Long.toString(activated.next()))
                    .add("sameGenerator", session.sharesGeneratorWith(activated))
                    .build());
        }
    }
}
