// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.verification.json

import org.snowflakeid.SnowflakeFormat
import org.snowflakeid.json.SnowflakeText

/** An id of its own type, where the properties of that type say that it is text. */
@JvmInline
value class OrderId(val value: Long) {
    init {
        require(value > 0) { "no order has the id $value" }
    }
}

/** As above, and says so itself. */
@JvmInline
value class MarkedId(@param:SnowflakeText val value: Long)

@JvmInline
value class MarkedField(@field:SnowflakeText val value: Long)

@JvmInline
value class MarkedGetter(@get:SnowflakeText val value: Long)

@JvmInline
value class HexId(@param:SnowflakeText(SnowflakeFormat.HEX) val value: Long)

@JvmInline
value class MarkedName(@param:SnowflakeText val value: String)

@JvmInline
value class Name(val value: String)

data class LongParameter(@param:SnowflakeText val id: Long)

data class LongWithDefault(@param:SnowflakeText val id: Long = 7)

data class LongField(@field:SnowflakeText val id: Long)

data class LongList(@param:SnowflakeText val ids: List<Long>)

data class LongBesideAValueClass(@param:SnowflakeText val id: Long, val name: Name)

data class OnParameter(@param:SnowflakeText val id: OrderId)

data class OnParameterWithDefault(@param:SnowflakeText val id: OrderId = OrderId(7))

data class OnNullable(@param:SnowflakeText val id: OrderId?)

data class OnField(@field:SnowflakeText val id: OrderId)

data class OnGetter(@get:SnowflakeText val id: OrderId)

data class OnList(@param:SnowflakeText val ids: List<OrderId>)

data class OnKeys(@param:SnowflakeText val ids: Map<OrderId, String>)

class OnProperty {
    @SnowflakeText
    var id: OrderId = OrderId(1)
}

data class OfMarked(val id: MarkedId)

data class OfMarkedNullable(val id: MarkedId?)

data class OfMarkedField(val id: MarkedField)

data class OfMarkedGetter(val id: MarkedGetter)

data class OfMarkedList(val ids: List<MarkedId>)

data class OfMarkedKeys(val ids: Map<MarkedId, String>)

data class OfHex(val id: HexId)

data class OfHexKeys(val ids: Map<HexId, String>)

data class OnName(@field:SnowflakeText val id: Name)

data class OnNameParameter(@param:SnowflakeText val id: Name)

data class OfMarkedName(val id: MarkedName)

/** Java can't make values of these. */
object KotlinShapes {

    /** What is seen without a module of ours. */
    @JvmStatic
    fun seen(id: Long): Map<Any, String> = mapOf(
        LongParameter(id) to "{'id':ID}",
        LongWithDefault(id) to "{'id':ID}",
        LongField(id) to "{'id':ID}",
        LongList(listOf(id)) to "{'ids':[ID]}",
        OnField(OrderId(id)) to "{'id':ID}",
        OnGetter(OrderId(id)) to "{'id':ID}",
        OnList(listOf(OrderId(id))) to "{'ids':[ID]}",
        OnKeys(mapOf(OrderId(id) to "a")) to "{'ids':{ID:'a'}}",
        OnProperty().apply { this.id = OrderId(id) } to "{'id':ID}",
    )

    @JvmStatic
    fun hidden(id: Long): Map<Any, String> = mapOf(
        LongBesideAValueClass(id, Name("a")) to "{'id':ID,'name':'a'}",
        OnParameter(OrderId(id)) to "{'id':ID}",
        OnParameterWithDefault(OrderId(id)) to "{'id':ID}",
        OnNullable(OrderId(id)) to "{'id':ID}",
        OfMarked(MarkedId(id)) to "{'id':ID}",
        OfMarkedNullable(MarkedId(id)) to "{'id':ID}",
        OfMarkedField(MarkedField(id)) to "{'id':ID}",
        OfMarkedGetter(MarkedGetter(id)) to "{'id':ID}",
        OfMarkedList(listOf(MarkedId(id))) to "{'ids':[ID]}",
        OfMarkedKeys(mapOf(MarkedId(id) to "a")) to "{'ids':{ID:'a'}}",
        MarkedId(id) to "ID",
    )

    @JvmStatic
    fun misplaced(): List<Any> = listOf(OnName(Name("5")), OnNameParameter(Name("5")), OfMarkedName(MarkedName("5")))

    @JvmStatic
    fun hex(id: Long): Any = OfHex(HexId(id))

    @JvmStatic
    fun hexKeys(id: Long): Any = OfHexKeys(mapOf(HexId(id) to "a"))

    @JvmStatic
    fun without(): Any = OnNullable(null)
}
