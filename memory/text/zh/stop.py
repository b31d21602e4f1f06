"""Chinese words of several characters that say little about what a text is about."""

# ruff: noqa: E501, SIM905 - words read as words
from typing import Final

PHRASES: Final = (  # 60
    "是不是 有没有 能不能 可不可以 为什么 怎么样 什么样 什么 怎么 怎样 哪里 哪儿 哪些 哪个 谁的 多少 几个 我们 你们 他们 她们 咱们 自己 这个 那个"
    " 这些 那些 这样 那样 这里 那里 知道 记得 告诉 可以 应该 觉得 认为 一下 一个 一些 一点 有点 现在 然后 因为 所以 但是 如果 还是 或者 而且 已经"
    " 就是 不是 没有 真的 请问 谢谢 你好"
).split()
