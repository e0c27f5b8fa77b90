// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.verification.sql;

import com.baomidou.mybatisplus.annotation.IdType;
import com.baomidou.mybatisplus.annotation.TableId;
import com.baomidou.mybatisplus.annotation.TableName;

/** For MyBatis and MyBatis-Plus. */
@TableName("orders")
class Order {

    @TableId(type = IdType.ASSIGN_ID)
    Long id;

    String customer;

    Order() {}

    Order(String customer) {
        this.customer = customer;
    }
}
