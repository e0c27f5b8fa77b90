// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.compare.cosid;

import java.util.HashMap;
import java.util.Map;
import me.ahoo.cosid.IdGenerator;
import me.ahoo.cosid.provider.IdGeneratorProvider;
import org.snowflakeid.compare.instance.Ids;
import org.snowflakeid.compare.instance.Peer;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.SpringBootApplication;
import org.springframework.context.ConfigurableApplicationContext;

/** The application of its quick start, with the generator that all share. */
public final class CosId implements Peer {

    @SpringBootApplication
    static class Application {}

    @Override
    public Ids start(Map<String, String> settings) {
        SpringApplication application = new SpringApplication(Application.class);
        application.setDefaultProperties(new HashMap<>(settings));
        ConfigurableApplicationContext context = application.run();
        IdGenerator shared = context.getBean(IdGeneratorProvider.class).getShare();
        return new Ids() {
            @Override
            public long next() {
                return shared.generate();
            }

            @Override
            public void close() {
                context.close();
            }
        };
    }
}
