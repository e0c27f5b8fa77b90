// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.cdi;

import jakarta.enterprise.context.NormalScope;
import jakarta.enterprise.context.spi.Context;
import jakarta.enterprise.context.spi.Contextual;
import jakarta.enterprise.context.spi.CreationalContext;
import jakarta.enterprise.event.Observes;
import jakarta.enterprise.inject.spi.AfterBeanDiscovery;
import jakarta.enterprise.inject.spi.Extension;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.ObjectInputStream;
import java.io.ObjectOutputStream;
import java.lang.annotation.Annotation;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** A scope that can be passivated, as that of sessions, without a server: {@link InBytes#passivate} writes all its beans out. */
@NormalScope(passivating = true)
@Retention(RetentionPolicy.RUNTIME)
@interface Kept {

    /** Its one context, active everywhere. */
    final class InBytes implements Context {

        private final Map<Contextual<?>, Object> awake = new HashMap<>();
        private final Map<Contextual<?>, byte[]> asleep = new HashMap<>();

        void passivate() throws IOException {
            for (Map.Entry<Contextual<?>, Object> bean : awake.entrySet()) {
                ByteArrayOutputStream bytes = new ByteArrayOutputStream();
                try (ObjectOutputStream out = new ObjectOutputStream(bytes)) {
                    out.writeObject(bean.getValue());
                }
                asleep.put(bean.getKey(), bytes.toByteArray());
            }
            awake.clear();
        }

        @Override
        public <T> T get(Contextual<T> bean, @Nullable CreationalContext<T> creation) {
            T found = get(bean);
            if (found == null && creation != null) {
                found = bean.create(creation);
                awake.put(bean, found);
            }
            return found;
        }

        @Override
        @SuppressWarnings({"unchecked", "BanSerializableRead"}) // written above
        public <T> @Nullable T get(Contextual<T> bean) {
            byte[] bytes = asleep.remove(bean);
            if (bytes != null) {
                try (ObjectInputStream in = new ObjectInputStream(new ByteArrayInputStream(bytes))) {
                    awake.put(bean, in.readObject());
                } catch (IOException | ClassNotFoundException e) {
                    throw new IllegalStateException(e);
                }
            }
            return (T) awake.get(bean);
        }

        @Override
        public Class<? extends Annotation> getScope() {
            return Kept.class;
        }

        @Override
        public boolean isActive() {
            return true;
        }
    }

    /** Brings it into a container. */
    final class Scope implements Extension {

        final InBytes beans = new InBytes();

        void add(@Observes AfterBeanDiscovery event) {
            event.addContext(beans);
        }
    }
}
