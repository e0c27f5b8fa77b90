// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.verification.sql;

import org.apache.ibatis.annotations.Insert;

/** On docs/sql.md. */
public interface OrderMapper {

    @Insert("INSERT INTO orders (id, customer) VALUES (#{id}, #{customer})")
    void insert(Order order);
}
