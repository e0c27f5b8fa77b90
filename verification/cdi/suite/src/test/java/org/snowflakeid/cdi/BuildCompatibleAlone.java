// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.cdi;

import jakarta.enterprise.inject.build.compatible.spi.BeanInfo;
import jakarta.enterprise.inject.build.compatible.spi.Discovery;
import jakarta.enterprise.inject.build.compatible.spi.Enhancement;
import jakarta.enterprise.inject.build.compatible.spi.InterceptorInfo;
import jakarta.enterprise.inject.build.compatible.spi.ObserverInfo;
import jakarta.enterprise.inject.build.compatible.spi.Registration;
import jakarta.enterprise.inject.build.compatible.spi.ScannedClasses;
import jakarta.enterprise.inject.build.compatible.spi.Synthesis;
import jakarta.enterprise.inject.build.compatible.spi.SyntheticComponents;
import jakarta.enterprise.lang.model.declarations.ClassInfo;

/** Weld skips the original, since it yields to the portable extension, and calls declared methods only. */
public class BuildCompatibleAlone extends SnowflakeBuildCompatibleExtension {

    @Override
    @Discovery
    public void index(ScannedClasses classes) {
        super.index(classes);
    }

    @Override
    @Enhancement(types = Object.class, withSubtypes = true)
    public void collect(ClassInfo type) {
        super.collect(type);
    }

    @Override
    @Registration(types = Object.class)
    public void collect(BeanInfo bean) {
        super.collect(bean);
    }

    @Override
    @Registration(types = Object.class)
    public void collect(InterceptorInfo interceptor) {
        super.collect(interceptor);
    }

    @Override
    @Registration(types = Object.class)
    public void collect(ObserverInfo observer) {
        super.collect(observer);
    }

    @Override
    @Synthesis
    public void addBeans(SyntheticComponents components) {
        super.addBeans(components);
    }
}
