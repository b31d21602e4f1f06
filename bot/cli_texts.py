"""What the command `ebb` itself says, in both languages."""

from __future__ import annotations

from bot.texts import Texts

say = Texts(
    {
        "help": (
            """\
Ebb: a companion that remembers you, and forgets the way people do.

  ebb                     chat in the terminal (--plain: line by line)
  ebb ask "…"             one question from a shell or a pipe
  ebb telegram            run the Telegram bot
  ebb memory …            list, show, search, add, edit, pin, unpin, quiet, unquiet, delete, restore, undo, purge,
                          rebuild, export, import, mirror, upkeep, report, accept, curves, receipt,
                          backup, recover, trace
  ebb doctor              what was found, and what to do about what is missing

Settings come from the environment and from .env in the data directory; .env.example lists them all.
""",
            """\
Ebb：记得你、也像人一样慢慢遗忘的伙伴。

  ebb                     在终端里聊天（--plain：逐行显示）
  ebb ask "……"            在命令行或管道里问一个问题
  ebb telegram            运行 Telegram 机器人
  ebb memory ……           list、show、search、add、edit、pin、unpin、quiet、unquiet、delete、restore、undo、purge、
                          rebuild、export、import、mirror、upkeep、report、accept、curves、receipt、
                          backup、recover、trace
  ebb doctor              检查环境：找到了什么，缺什么，怎么办

设置来自环境变量和数据目录里的 .env；.env.example 列出全部。
""",
        ),
        "unknown": (
            "There is no command “{name}”. `ebb --help` lists what there is.",
            "没有“{name}”这个命令。`ebb --help` 会列出所有命令。",
        ),
        "frontend": (
            "The front end “{name}” is not installed; run `make chat` once, it sets everything up.",
            "界面“{name}”还没有安装；运行一次 `make chat` 就会装好。",
        ),
        "unexpected": (
            "Something went wrong; ebb.log in the data directory says what (see `ebb doctor`).",
            "出了点问题；数据目录里的 ebb.log 有说明（见 `ebb doctor`）。",
        ),
    }
)
