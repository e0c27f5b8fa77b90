// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.cdi;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import jakarta.enterprise.context.Dependent;
import jakarta.enterprise.context.SessionScoped;
import jakarta.enterprise.inject.Instance;
import jakarta.enterprise.inject.spi.Bean;
import jakarta.enterprise.inject.spi.BeanManager;
import jakarta.inject.Inject;
import jakarta.inject.Provider;
import java.io.InvalidObjectException;
import java.io.Serializable;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.snowflakeid.Snowflake;

class PassivationTest {

    @SessionScoped
    @SuppressWarnings("serial") // the interface makes no promise, what is injected is serializable
    static class Cart implements Serializable {
        private static final long serialVersionUID = 1L;

        @Inject
        Snowflake ids;

        @Inject
        @SnowflakeName("orders")
        Snowflake orders;
    }

    @Test
    void aPassivatedBeanFindsItsGeneratorsAgain() throws Exception {
        byte[] passivated;
        Snowflake before;
        try (Application application = Application.of(Cart.class)) {
            Cart cart = cart(application);
            before = cart.ids;
            passivated = Passivated.write(cart);

            Cart activated = (Cart) Passivated.read(passivated);

            assertThat(activated.ids).isSameAs(cart.ids);
            assertThat(activated.orders).isSameAs(cart.orders);
        }

        try (Application application = Application.of(Cart.class)) {
            Cart activated = (Cart) Passivated.read(passivated);

            assertThat(activated.ids).isSameAs(cart(application).ids).isNotSameAs(before);
            assertThat(activated.ids.nextId()).isPositive();
            assertThat(activated.orders.status().generator()).isEqualTo("orders");
        }
    }

    /** A part of what is passivated. */
    @Dependent
    @SuppressWarnings("serial")
    static class Numbering implements Serializable {
        private static final long serialVersionUID = 1L;

        @Inject
        @SnowflakeName("invoices")
        Snowflake ids;
    }

    @Kept
    @SuppressWarnings("serial")
    static class Basket implements Serializable {
        private static final long serialVersionUID = 1L;

        private Snowflake constructed;
        private Snowflake initialised;

        @Inject
        Instance<Snowflake> instance;

        @Inject
        Provider<Snowflake> provider;

        @Inject
        Numbering numbering;

        private int used;

        /** For the proxy. */
        Basket() {}

        @Inject
        Basket(Snowflake ids) {
            constructed = ids;
        }

        @Inject
        void initialise(@SnowflakeName("orders") Snowflake ids) {
            initialised = ids;
        }

        /** Ids from each place, then how often this was called. */
        List<Long> use() {
            return List.of(
                    constructed.nextId(),
                    instance.get().nextId(),
                    provider.get().nextId(),
                    initialised.nextId(),
                    numbering.ids.nextId(),
                    (long) ++used);
        }

        Snowflake ids() {
            return constructed;
        }
    }

    @Test
    void aBeanOfAPassivatingScopeGoesOnAfterItsPassivation() throws Exception {
        RecordingCoordinatorProvider.JOURNAL.clear();
        try (Application application = Application.of(Basket.class, Numbering.class)) {
            Basket basket = application.get(Basket.class);
            List<Long> before = basket.use();
            Snowflake ids = basket.ids();

            application.passivate();
            List<Long> after = basket.use();

            for (int place = 0; place < before.size(); place++) {
                assertThat(after.get(place)).isGreaterThan(before.get(place));
            }
            assertThat(after).last().isEqualTo(2L);
            assertThat(basket.ids()).isSameAs(ids);
            assertThat(RecordingCoordinatorProvider.JOURNAL)
                    .containsExactlyInAnyOrder(
                            "claimed snowflake", "claimed snowflake/orders", "claimed snowflake/invoices");
        }
    }

    /** The bean behind the proxy, without a session. */
    private static Cart cart(Application application) {
        BeanManager beans = application.container().getBeanManager();
        @SuppressWarnings("unchecked")
        Bean<Cart> bean = (Bean<Cart>) beans.<Object>resolve(beans.getBeans(Cart.class));
        return bean.create(beans.createCreationalContext(bean));
    }

    @Test
    void whatIsReadWithoutAnApplicationSaysSo() throws Exception {
        byte[] passivated;
        try (Application application = Application.of(Cart.class)) {
            passivated = Passivated.write(cart(application).orders);
        }

        assertThatThrownBy(() -> Passivated.read(passivated))
                .isInstanceOf(InvalidObjectException.class)
                .hasMessageContaining("snowflake 'orders'");
    }

    @Dependent
    static class NoCart {}

    @Test
    void whatIsReadByAnApplicationWithoutThisGeneratorSaysSo() throws Exception {
        byte[] passivated;
        try (Application application = Application.of(Cart.class)) {
            passivated = Passivated.write(cart(application).orders);
        }

        try (Application application = Application.of(NoCart.class)) {
            assertThat(application.container().isRunning()).isTrue();
            assertThatThrownBy(() -> Passivated.read(passivated))
                    .isInstanceOf(InvalidObjectException.class)
                    .hasMessageContaining("snowflake 'orders'");
        }
    }
}
