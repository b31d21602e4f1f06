# ruff: noqa: E501 - a table is checked line by line against what people say; a pattern broken over lines cannot be read
"""Chinese: what somebody plays, owns, takes and used to do. 弹贝斯；我的自行车是红色的；以前一天喝五杯咖啡。"""

from __future__ import annotations

import re
from collections.abc import Iterator

from bot.llm.companion.clause import Clause, Found, Rules, ended
from bot.llm.companion.facts import Fact
from bot.llm.companion.lists_zh import core, names
from memory.models import Importance, Kind

rule = Rules(shadow=True)
_OWNED = r"自行车|单车|电动车|摩托车|汽车|车|手机|电脑|笔记本|相机|吉他|钢琴|房子|公寓|鞋码|尺码|网名|用户名|博客|公众号|公司|店|团队|学校|健身房|偶像|星座|血型|座右铭|口头禅"


@rule(rf"^我(?:的|家的?)(?P<k>{_OWNED})(?:现在|就|一直)*(?:是|叫|有)(?P<v>[^，,]{{1,20}})$")
def owned(m: Found, c: Clause) -> Iterator[Fact]:
    """我的自行车是红色的捷安特。"""
    value = core(m["v"])
    if value and not re.match(r"(?:不|坏|没|很|太|什么|谁)", value):
        yield c.fact(f"attr:{m['k']}", value, kind=Kind.FACT, single=True, entities=names(c.third()))


@rule(
    r"^我(?:现在|平时|也|还|一直|从小|在.{1,6}(?:里|中)?)*(?P<v>(?:弹|拉|吹|打|敲)(?:钢琴|吉他|贝斯|琴|小提琴|大提琴|二胡|古筝|琵琶|笛子|萨克斯|小号|口琴|鼓|架子鼓|手风琴|尤克里里))(?:的)?$"
)
def plays(m: Found, c: Clause) -> Iterator[Fact]:
    """我在乐队里弹贝斯。"""
    yield c.fact("skill", m["v"], kind=Kind.SKILL, entities=names(c.third()))


@rule(r"^我(?:现在|目前|最近|还|也|正|一直|每天|在)*在?吃(?P<v>[^，,]{0,6}(?:药|素|片|胶囊|鱼油|益生菌|蛋白粉))$")
def takes(m: Found, c: Clause) -> Iterator[Fact]:
    """我在吃褪黑素。"""
    if not re.search(r"[吃荤]素$", m["v"]):
        yield c.fact("habit", f"吃{core(m['v'])}", kind=Kind.WORKFLOW, sensitivity=1)


@rule(
    r"^我(?:以前|过去|曾经|原来|之前)(?:都|经常|总是?|常常?|一直|也|每[天周晚])*(?P<v>(?:一[天周]|每[天周晚])?(?:[吃喝抽]|打|玩|练|跑步|健身|养|骑|弹|画|写|收集)[^，,]{0,12})$"
)
def used_to(m: Found, c: Clause) -> Iterator[Fact]:
    """我以前一天喝五杯咖啡：现在不是了。"""
    if not re.search(r"[过了]$", m["v"]):
        yield from ended([c.fact("habit", core(m["v"]), kind=Kind.WORKFLOW, importance=Importance.LOW, when=None)])
