"""How Chinese sentences name the person whom a note is about."""

from __future__ import annotations

import re
from typing import Final

_OTHER_NOUNS: Final = "名界体协数量群手端研增画故组中账反需"  # 用户名, 用户体验: nobody
SUBJECT: Final = re.compile(rf"该?(?:用户|使用者)(?:的(?=\S)|(?=[^\s，,。.、；;：:！!？?和与跟及或{_OTHER_NOUNS}]))")
INNER: Final = ((re.compile(rf"该?(?:用户|使用者)(?![{_OTHER_NOUNS}])"), "我"),)
SUBJECTS: Final = ("用户", "用户的", "我", "我的")
